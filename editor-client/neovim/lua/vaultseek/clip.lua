---Cuts a text to the width of a row, around its matches. Never touches a window.
local M = {}

local MORE = "…"

---The characters of a text with their places.
---@param text string
---@return integer n, integer[] bytes, integer[] cells where each character starts, and where the last one ends
local function places_of(text)
  local bytes, cells, n = { 0 }, { 0 }, 0
  for _, char in ipairs(vim.fn.split(text, "\\zs")) do
    n = n + 1
    bytes[n + 1] = bytes[n] + #char
    cells[n + 1] = cells[n] + vim.fn.strwidth(char)
  end
  return n, bytes, cells
end

---The first character that ends after a byte.
local function char_at(bytes, n, byte)
  for at = 1, n do
    if bytes[at + 1] > byte then
      return at
    end
  end
  return n
end

---The marks that show most different texts within a number of cells, as close together as possible.
---@return integer? first, integer? last characters of the first and last of these marks
local function best_marks(text, marks, n, bytes, cells, room)
  local best, first, last, narrowest = 0, nil, nil, 0
  for at, mark in ipairs(marks) do
    local from, seen, count = char_at(bytes, n, mark[1]), {}, 0
    for other = at, #marks do
      local to = char_at(bytes, n, marks[other][2] - 1)
      local span = cells[to + 1] - cells[from]
      if other > at and span > room then
        break
      end
      local words = vim.fn.tolower(text:sub(marks[other][1] + 1, marks[other][2]))
      count = count + (seen[words] and 0 or 1)
      seen[words] = true
      if count > best or (count == best and span < narrowest) then
        best, first, last, narrowest = count, from, to, span
      end
    end
  end
  return first, last
end

---The part of a text that fits into a row and shows as many different matches as possible, with an ellipsis at each
---cut. A match that is wider than the row is shown from its start.
---@param text string one line
---@param marks integer[][] the matches as bytes, half-open, in order
---@param width integer cells
---@return string, integer[][] the matches in the part
function M.around(text, marks, width)
  if vim.fn.strwidth(text) <= width then
    return text, marks
  end
  local n, bytes, cells = places_of(text)
  local cut = vim.fn.strwidth(MORE)
  local room = math.max(width - 2 * cut, 1)
  local first, last = best_marks(text, marks, n, bytes, cells, room)
  local from, match = 1, first or 1
  if first and cells[last + 1] > width - cut then
    local lead = math.max(math.floor((room - (cells[last + 1] - cells[first])) / 2), 0)
    from = first
    while from > 1 and (cells[first] - cells[from - 1] <= lead or cells[n + 1] - cells[from - 1] <= width - cut) do
      from = from - 1
    end
    local blank = from > 1 and text:find(" ", bytes[from], true)
    if blank and blank < bytes[first] + 1 then
      from = char_at(bytes, n, blank) -- the first whole word
    end
  end
  local before = from > 1 and MORE or ""
  local left = width - (from > 1 and cut or 0)
  local to = n
  if cells[n + 1] - cells[from] > left then
    to = match
    while to < n and cells[to + 2] - cells[from] <= left - cut do
      to = to + 1
    end
  end
  local shift, stop = #before - bytes[from], bytes[to + 1]
  local shown = {}
  for _, mark in ipairs(marks) do
    local start, finish = math.max(mark[1], bytes[from]), math.min(mark[2], stop)
    if start < finish then
      table.insert(shown, { start + shift, finish + shift })
    end
  end
  return before .. text:sub(bytes[from] + 1, stop) .. (to < n and MORE or ""), shown
end

return M
