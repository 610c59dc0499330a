---`:VaultWhy`: why a query finds the current note, or why not.
local client = require("vaultseek.client")
local explain = require("vaultseek.explain")
local float = require("vaultseek.float")
local message = require("vaultseek.message")
local root = require("vaultseek.root")

local M = {}

---@param query string
---@param options table? options of `vaultseek/search`
function M.show(query, options)
  query = vim.trim(query or "")
  local buf = vim.api.nvim_get_current_buf()
  local folder = root.of_buffer(buf)
  if not folder then
    return message.warn("this is not a note in a vault")
  elseif query == "" then
    return message.warn("a query is missing: :VaultWhy {query}")
  end
  local params = {
    query = query,
    note = vim.uri_from_bufnr(buf),
    vault = vim.uri_from_fname(folder),
    options = options and next(options) and options or nil,
  }
  client.request("vaultseek/explain", params, { folder = folder, buf = buf }, function(problem, answer)
    if problem or not answer then
      return message.fail(problem or "the server sent an empty answer")
    end
    if vim.api.nvim_get_current_buf() == buf then
      float.show(explain.of_answer(answer, query, float.width()))
    end
  end)
end

return M
