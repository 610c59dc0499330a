---`:VaultWhy`: why the current note is found by a query, or why not.
local client = require("vaultseek.client")
local explain = require("vaultseek.explain")
local float = require("vaultseek.float")
local message = require("vaultseek.message")
local root = require("vaultseek.root")

local M = {}

---@param query string
---@param options table? of `vaultseek/search`
function M.show(query, options)
  query = vim.trim(query or "")
  local buf = vim.api.nvim_get_current_buf()
  local folder = root.of_buffer(buf)
  if not folder then
    return message.warn("this is no note of a vault")
  elseif query == "" then
    return message.warn("say which query: :VaultWhy {query}")
  end
  local params = {
    query = query,
    note = vim.uri_from_bufnr(buf),
    vault = vim.uri_from_fname(folder),
    options = options and next(options) and options or nil,
  }
  client.request("vaultseek/explain", params, { folder = folder, buf = buf }, function(problem, answer)
    if problem or not answer then
      return message.fail(problem or "the server answered nothing")
    end
    if vim.api.nvim_get_current_buf() == buf then
      float.show(explain.of_answer(answer, query, float.width()))
    end
  end)
end

return M
