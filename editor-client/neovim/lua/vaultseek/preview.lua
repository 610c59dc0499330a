---A note's text around a result: from its buffer if the note is open, else from disk.
local columns = require("vaultseek.columns")
local open = require("vaultseek.open")

local M = {}

---Lines to read below the place of the result.
local BELOW = 200

---Bytes to show of a line; a whole book on one line would slow down every key.
local LONGEST = 4000

---@param path string
---@param n_lines integer
---@return string[] lines, possibly with control characters
local function lines_of(path, n_lines)
  local buf = vim.fn.bufnr(vim.fn.fnameescape(path))
  if buf > 0 and vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) == path then
    return vim.api.nvim_buf_get_lines(buf, 0, n_lines, false)
  end
  local ok, lines = pcall(vim.fn.readfile, path, "", n_lines)
  return ok and lines or { "This note can no longer be read." }
end

---@param path string
---@param n_lines integer
---@return string[] lines that are valid in a buffer
local function text_of(path, n_lines)
  return vim.tbl_map(function(line)
    return (line:sub(1, LONGEST):gsub("\r$", ""):gsub("\n", "\0"))
  end, lines_of(path, n_lines))
end

---@param item table
---@param encoding string
---@return vaultseek.Rendered rendered, integer line to make visible, from 0
function M.of_result(item, encoding)
  local place = open.place_of(item, encoding)
  local lines = text_of(place.path, place.line + BELOW)
  if lines[1] then
    lines[1] = lines[1]:gsub("^\239\187\191", "")
  end
  local line = math.max(math.min(place.line, #lines - 1), 0)
  local marks = { { row = line, from = 0, to = -1, group = "VaultseekLine" } }
  for _, snippet in ipairs(item.snippets or {}) do
    for _, range in ipairs(snippet.highlights or {}) do
      local text = lines[range.start.line + 1]
      if text then
        table.insert(marks, {
          row = range.start.line,
          from = columns.to_byte(text, range.start.character, encoding),
          to = columns.to_byte(text, range["end"].character, encoding),
          group = "VaultseekMatch",
        })
      end
    end
  end
  return { lines = lines, marks = #lines > 0 and marks or {}, rows = {}, last_rows = {} }, line
end

return M
