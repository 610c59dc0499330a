---The server without this plugin's commands, for `vim.lsp.enable("vaultseek")` of Neovim 0.11.
---While the plugin sends notes to a server of its own, this starts no second one.
---@type vim.lsp.Config
return {
  cmd = { "vaultseek", "serve" },
  cmd_cwd = vim.uv.os_homedir(), -- in a vault, Windows would start what the vault calls so
  filetypes = { "markdown" },
  root_markers = { ".obsidian" },
  settings = { vaultseek = vim.empty_dict() },
  root_dir = function(buf, start_in)
    -- Delayed, because the plugin begins only after the user's configuration has run.
    vim.schedule(function()
      local plugin = package.loaded["vaultseek"]
      if (plugin and plugin.is_watching) or not vim.api.nvim_buf_is_valid(buf) then
        return
      end
      local folder = vim.fs.root(buf, vim.lsp.config.vaultseek.root_markers)
      if folder then
        start_in(folder)
      end
    end)
  end,
}
