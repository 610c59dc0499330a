---The place of a result, and jumping to it.
local columns = require("vaultseek.columns")
local message = require("vaultseek.message")

local M = {}

---@class vaultseek.Place
---@field path string
---@field line integer from 0
---@field character integer from 0, in the server's position encoding
---@field encoding string
---@field fragment string? the page, card or cell, such as "page=12"

---The place of a result: its first excerpt, else its passage, else its first section, else the note's beginning.
---@param item table
---@param encoding string
---@return vaultseek.Place
function M.place_of(item, encoding)
  local snippet = item.snippets and item.snippets[1]
  local start = { line = 0, character = 0 }
  if snippet then
    start = (snippet.highlights[1] or snippet.range).start
  elseif item.explanation and item.explanation.semanticLines then
    start = { line = item.explanation.semanticLines[1], character = 0 }
  elseif item.sections and item.sections[1] then
    start = { line = item.sections[1].line, character = 0 }
  end
  local path = vim.uri_to_fname(item.uri)
  local fragment = snippet and snippet.fragment or nil
  return { path = path, line = start.line, character = start.character, encoding = encoding, fragment = fragment }
end

---Go to a window that can show a note: the given one, else the previous one, else any, else a new one.
local function go_to_window(window)
  local function is_free(win)
    return win
      and vim.api.nvim_win_is_valid(win)
      and vim.api.nvim_win_get_config(win).relative == ""
      and vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ""
  end
  local choices = { window, vim.fn.win_getid(vim.fn.winnr("#")) }
  vim.list_extend(choices, vim.api.nvim_tabpage_list_wins(0))
  for _, win in ipairs(choices) do
    if is_free(win) then
      return vim.api.nvim_set_current_win(win)
    end
  end
  pcall(vim.cmd, "topleft vnew") -- next to a sidebar, help page or terminal, if there is room
end

---Whether a file is no text, such as an image or a PDF, so that another program must show it.
---@param path string
local function is_binary(path)
  local file = not path:lower():match("%.md$") and io.open(path, "rb") -- a note may be in UTF-16
  if not file then
    return false
  end
  local start = file:read(1024) or ""
  file:close()
  return start:sub(1, 5) == "%PDF-" or start:find("\0", 1, true) ~= nil
end

---Files of other types could be programs, and the system's program for a program is to run it. The server has the same
---list (`search/ids`), and a test compares them.
local documents = {}
for extension in
  ([[md markdown avif bmp gif heic heif ico jpeg jpg png psd raw svg tif tiff webp aac aif aiff flac m4a mid midi
  mp3 oga ogg opus wav wma 3gp avi m4v mkv mov mp4 mpeg mpg ogv webm wmv doc key mobi numbers odg odp ods pages
  ppt rtf xls canvas base txt org rst adoc html ipynb csv pdf docx pptx xlsx odt epub asciidoc htm]]):gmatch("%S+")
do
  documents[extension] = true
end

---Open a file with the system's program, which cannot be told the page: it is named in a message.
---@param place vaultseek.Place
local function open_outside(place)
  local name = vim.fn.fnamemodify(place.path, ":t")
  if not documents[name:lower():match("%.(%w+)$") or ""] then
    return message.fail(name .. " is not opened, since a file of its type could be a program itself")
  end
  local _, problem = vim.ui.open(place.path)
  if problem then
    return message.fail(problem)
  end
  message.tell(name .. (place.fragment and "#" .. place.fragment or "") .. " is opened with the system's program")
end

local commands = { split = "split", vsplit = "vsplit", tab = "tab split" }

---Show a note at a place; the jump list leads back.
---@param place vaultseek.Place
---@param how "edit"|"split"|"vsplit"|"tab"
---@param window integer? where to show it
function M.open(place, how, window)
  if is_binary(place.path) then
    return open_outside(place)
  end
  go_to_window(window)
  if commands[how] and not pcall(vim.cmd, commands[how]) then
    message.warn("there is no room for another window, so the note is shown in this one")
  end
  local buf = vim.fn.bufadd(place.path)
  vim.bo[buf].buflisted = true
  vim.cmd("normal! m'")
  if vim.api.nvim_get_current_buf() ~= buf then
    local ok, problem = pcall(vim.cmd, "buffer " .. buf)
    if not ok and tostring(problem):find("E37", 1, true) then -- this buffer is modified and cannot be hidden
      ok, problem = pcall(vim.cmd, "sbuffer " .. buf)
    end
    if not ok then
      return message.fail(tostring(problem))
    end
  end
  local line = math.min(place.line + 1, vim.api.nvim_buf_line_count(buf))
  local text = vim.api.nvim_buf_get_lines(buf, line - 1, line, false)[1] or ""
  vim.api.nvim_win_set_cursor(0, { line, columns.to_byte(text, place.character, place.encoding) })
  vim.cmd("normal! zvzz")
end

return M
