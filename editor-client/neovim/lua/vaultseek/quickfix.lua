---Results in the quickfix list, one entry per excerpt.
local columns = require("vaultseek.columns")
local message = require("vaultseek.message")
local open = require("vaultseek.open")
local render = require("vaultseek.render")

local M = {}

---@param item table
---@param encoding string
---@return table[]
local function entries_of(item, encoding)
  local path = vim.uri_to_fname(item.uri)
  local entries = {}
  for _, snippet in ipairs(item.snippets or {}) do
    local start = (snippet.highlights[1] or snippet.range).start
    -- the byte in the line is that in the excerpt plus the byte at which the excerpt starts
    local byte = columns.to_byte(snippet.text, math.max(start.character - snippet.range.start.character, 0), encoding)
    table.insert(entries, {
      filename = path,
      lnum = start.line + 1,
      col = snippet.range.start.character + byte + 1,
      text = (snippet.page and "#page=" .. snippet.page .. " " or "") .. render.one_line(snippet.text),
    })
  end
  if #entries == 0 then
    local place = open.place_of(item, encoding)
    local text = render.one_line(item.reason or item.title)
    table.insert(entries, { filename = path, lnum = place.line + 1, col = 1, text = text })
  end
  return entries
end

---Put results into a new quickfix list and show it.
---@param items table[]
---@param title string
---@param encoding string
function M.fill(items, title, encoding)
  local entries = {}
  for _, item in ipairs(items) do
    vim.list_extend(entries, entries_of(item, encoding))
  end
  vim.fn.setqflist({}, " ", { title = title, items = entries })
  if not pcall(vim.cmd, "botright copen") then
    message.warn("the results are in the quickfix list, but there is no room to show it")
  end
end

return M
