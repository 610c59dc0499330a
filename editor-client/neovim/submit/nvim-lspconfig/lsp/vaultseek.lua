---@brief
---
--- https://pypi.org/project/vaultseek/
---
--- Searches Obsidian-style vaults of Markdown notes by words and by meaning, offline.
---
--- Install it with `pipx install vaultseek` or `uv tool install vaultseek`.
--- Settings go below `vaultseek`, for example `settings = { vaultseek = { mode = 'keyword' } }`.

---@type vim.lsp.Config
return {
  cmd = { 'vaultseek', 'serve' },
  filetypes = { 'markdown' },
  root_markers = { '.obsidian' },
  workspace_required = true,
}
