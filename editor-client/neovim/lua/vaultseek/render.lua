---Results as lines and marks. Never touches a window.
local clip = require("vaultseek.clip")
local columns = require("vaultseek.columns")

local M = {}

local INDENT = "      "

---@class vaultseek.Rendered
---@field lines string[]
---@field marks vaultseek.Mark[]
---@field rows integer[] the row of each result's title, from 0
---@field last_rows integer[] the last row of each result

---An empty value.
---@return vaultseek.Rendered
function M.nothing()
  return { lines = {}, marks = {}, rows = {}, last_rows = {} }
end

---A text on one line, with the same number of bytes.
---@param text any
---@return string
function M.one_line(text)
  return (tostring(text or ""):gsub("%c", " "))
end

---@param id string
---@return string the folder, "" for the vault's root
local function folder_of(id)
  return id:match("^(.*)/[^/]*$") or ""
end

---@param rendered vaultseek.Rendered
---@param pieces {[1]: string, [2]: string?}[] texts with their highlight groups
local function add_line(rendered, pieces)
  local row, text = #rendered.lines, ""
  for _, piece in ipairs(pieces) do
    local words = M.one_line(piece[1])
    if piece[2] and words ~= "" then
      table.insert(rendered.marks, { row = row, from = #text, to = #text + #words, group = piece[2] })
    end
    text = text .. words
  end
  table.insert(rendered.lines, text)
end

---The part of an excerpt that fits into a row, with its matches as bytes.
---@param snippet table
---@param width integer cells
---@param encoding string
---@return string, integer[][]
function M.excerpt(snippet, width, encoding)
  local text = M.one_line(snippet.text)
  local marks = vim.tbl_map(function(mark)
    return { columns.to_byte(text, mark[1], encoding), columns.to_byte(text, mark[2], encoding) }
  end, snippet.marks or {})
  return clip.around(text, marks, width)
end

---@param rendered vaultseek.Rendered
---@param marks integer[][]
---@param shift integer the byte at which the text starts in its line
local function add_matches(rendered, row, marks, shift)
  for _, mark in ipairs(marks) do
    table.insert(rendered.marks, { row = row, from = shift + mark[1], to = shift + mark[2], group = "VaultseekMatch" })
  end
end

---A result's strength with two digits; blank if it has none.
---@param item table
---@return string
function M.strength(item)
  return item.strength and ("%.2f"):format(item.strength) or "    "
end

local function add_item(rendered, item, options)
  if item.fold then
    return add_line(rendered, { { item.fold, "VaultseekHint" } })
  end
  local row, strength = #rendered.lines, M.strength(item) .. "  "
  add_line(rendered, {
    { strength, "VaultseekStrength" },
    { item.title, "VaultseekTitle" },
    { item.isLinked and "  linked" or "", "VaultseekLinked" },
    { "  " .. folder_of(item.id), "VaultseekPath" },
  })
  if item.reason then
    add_line(rendered, { { INDENT }, { item.reason, "VaultseekReason" } })
  end
  local n_shown = 0
  for _, snippet in ipairs(item.snippets or {}) do
    if snippet.text == item.title then -- the title line shows it already
      local _, marks = M.excerpt(snippet, math.huge, options.encoding)
      add_matches(rendered, row, marks, #strength)
    elseif n_shown < options.snippets then
      n_shown = n_shown + 1
      local clipped, marks = M.excerpt(snippet, options.width - #INDENT, options.encoding)
      add_line(rendered, { { INDENT }, { clipped, "VaultseekSnippet" } })
      add_matches(rendered, #rendered.lines - 1, marks, #INDENT)
    end
  end
end

---@param items table[] results of a search, or related notes
---@param options {width: integer, encoding: string, snippets: integer}
---@return vaultseek.Rendered
function M.results(items, options)
  local rendered = M.nothing()
  for number, item in ipairs(items) do
    rendered.rows[number] = #rendered.lines
    add_item(rendered, item, options)
    rendered.last_rows[number] = #rendered.lines - 1
  end
  return rendered
end

---What a list with one row for each result shows next to the title.
---@param item table
---@param width integer cells
---@param encoding string
---@return string
function M.brief(item, width, encoding)
  local snippet = item.snippets and item.snippets[1]
  if item.reason or not snippet or snippet.text == item.title then
    return item.reason or item.id
  end
  return (M.excerpt(snippet, math.max(width, 20), encoding))
end

---Append lines.
---@param rendered vaultseek.Rendered
---@param texts string[]
---@param group string
function M.append(rendered, texts, group)
  for _, text in ipairs(texts) do
    add_line(rendered, { { text, group } })
  end
end

---Wrap a text at spaces to lines of a maximum width.
---@param text string
---@param width integer
---@param indent string
---@return string[]
function M.wrapped(text, width, indent)
  local lines, line = {}, ""
  for word in M.one_line(text):gmatch("%S+") do
    if line ~= "" and vim.fn.strdisplaywidth(indent .. line .. " " .. word) > width then
      table.insert(lines, indent .. line)
      line = word
    else
      line = line == "" and word or line .. " " .. word
    end
  end
  if line ~= "" then
    table.insert(lines, indent .. line)
  end
  return lines
end

return M
