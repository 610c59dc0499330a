---Search Obsidian-style vaults. The commands work with the defaults; setup() is optional.
---See |vaultseek|.
local M = {}

---The problems with the options of the last setup().
---@type string[]
M.problems = {}

---Whether opened notes are sent to the server.
M.is_watching = false

---Set options, see |vaultseek-options|. Invalid ones are reported once and keep their defaults.
---@param options vaultseek.Config?
function M.setup(options)
  local server = require("vaultseek.server")
  M.problems = require("vaultseek.config").set(options)
  if #M.problems > 0 then
    require("vaultseek.message").warn("options: " .. table.concat(M.problems, "; "))
  end
  server.send_settings()
  M.watch()
end

---Send notes to the server: open ones now, others when they are opened.
function M.watch()
  M.is_watching = true
  local config = require("vaultseek.config")
  local group = vim.api.nvim_create_augroup("Vaultseek", { clear = true })
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = group,
    callback = function()
      require("vaultseek.highlight").define()
    end,
  })
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = config.current.filetypes,
    callback = function(event)
      require("vaultseek.server").attach(event.buf)
    end,
  })
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.tbl_contains(config.current.filetypes, vim.bo[buf].filetype) then
      require("vaultseek.server").attach(buf)
    end
  end
end

---@param query string?
---@param options vaultseek.SearchOptions?
function M.search(query, options)
  require("vaultseek.search").search(query, options)
end

---@param options {heading: string?, lines: integer[]?, ui: string?}?
function M.related(options)
  require("vaultseek.related").show(options)
end

---Open or close the sidebar.
function M.sidebar()
  require("vaultseek.sidebar").toggle()
end

---@param query string
---@param options table?
function M.why(query, options)
  require("vaultseek.why").show(query, options)
end

---@param word "update"|"rebuild"|"clear"|"gc"|"cancel"|nil
function M.index(word)
  require("vaultseek.index").run(word)
end

---Stop the server and start it again.
function M.restart()
  require("vaultseek.server").restart()
end

return M
