---Highlight groups, each linked to a standard group; a user's own definition wins.
local M = {}

local links = {
  VaultseekMatch = "Search",
  VaultseekTitle = "Title",
  VaultseekPath = "Comment",
  VaultseekStrength = "Number",
  VaultseekSnippet = "Normal",
  VaultseekReason = "Comment",
  VaultseekLinked = "Special",
  VaultseekSelection = "CursorLine",
  VaultseekLine = "CursorLine",
  VaultseekPrompt = "Question",
  VaultseekCount = "Comment",
  VaultseekNotice = "WarningMsg",
  VaultseekProblem = "ErrorMsg",
  VaultseekHint = "Comment",
  VaultseekBorder = "FloatBorder",
}

M.namespace = vim.api.nvim_create_namespace("vaultseek")

---@return string[]
function M.names()
  local names = vim.tbl_keys(links)
  table.sort(names)
  return names
end

---Define the groups; called again after the colour scheme changes.
function M.define()
  for name, link in pairs(links) do
    vim.api.nvim_set_hl(0, name, { default = true, link = link })
  end
end

---@class vaultseek.Mark
---@field row integer from 0
---@field from integer byte
---@field to integer byte; -1 means the whole line up to the window's edge
---@field group string

---Replace the marks of a buffer.
---@param buf integer
---@param marks vaultseek.Mark[]
function M.put(buf, marks)
  vim.api.nvim_buf_clear_namespace(buf, M.namespace, 0, -1)
  for _, mark in ipairs(marks) do
    local place = { hl_group = mark.group, strict = false }
    if mark.to == -1 then
      place.end_row, place.end_col, place.hl_eol, place.priority = mark.row + 1, 0, true, 50
    else
      place.end_row, place.end_col = mark.row, mark.to
    end
    vim.api.nvim_buf_set_extmark(buf, M.namespace, mark.row, mark.from, place)
  end
end

M.define()

return M
