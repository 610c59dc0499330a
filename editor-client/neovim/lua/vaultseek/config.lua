---The options of setup(), their defaults and their validation.
---An invalid value keeps its default; all invalid values are reported in one message.
local M = {}

---@class vaultseek.Config
M.defaults = {
  cmd = { "vaultseek", "serve" }, ---the server and its arguments
  filetypes = { "markdown" }, ---buffers that are sent to the server
  root_markers = { ".obsidian" }, ---names that mark a folder as a vault, the most important one first
  vaults = {}, ---folders that are vaults without a marker
  autostart = true, ---whether opening a note starts the server; otherwise the first command does
  settings = {}, ---the server's own settings, without the prefix `vaultseek.`
  ui = "picker", ---what `:VaultSearch` opens: picker, select, quickfix or telescope
  kinds = "everything", ---what is searched: everything, or notes only
  debounce_ms = 40, ---how long to wait after a key before sending the search
  snippets = 2, ---lines of text below each title
  border = "rounded", ---border of floating windows, see |nvim_open_win()|
  picker = {
    width = 0.9, ---share of the screen's columns
    height = 0.85, ---share of the screen's lines
    preview = true, ---whether to show the note next to the results if there is room
    keys = {
      open = "<CR>",
      split = "<C-x>",
      vsplit = "<C-v>",
      tab = "<C-t>",
      quickfix = "<C-q>",
      explain = "<C-e>",
      preview = "<C-o>",
      kinds = "<C-g>",
      next = { "<C-n>", "<Down>" },
      previous = { "<C-p>", "<Up>" },
      scroll_down = "<C-f>",
      scroll_up = "<C-b>",
      close = "<C-c>",
    },
  },
  sidebar = {
    width = 40, ---columns
    position = "right", ---or left
    limit = 20, ---number of notes
    linked = "last", ---notes that are linked already: last, include or exclude
  },
}

---Options that allow only certain values.
local allowed = {
  kinds = { "everything", "notes" },
  ui = { "picker", "select", "quickfix", "telescope" },
  ["sidebar.position"] = { "right", "left" },
  ["sidebar.linked"] = { "last", "include", "exclude" },
}

---Ranges of numeric options.
local ranges = {
  debounce_ms = { 0, 2000 },
  snippets = { 0, 10 },
  ["picker.width"] = { 0.1, 1 },
  ["picker.height"] = { 0.1, 1 },
  ["sidebar.width"] = { 10, 200 },
  ["sidebar.limit"] = { 1, 100 },
}

---@type vaultseek.Config
M.current = vim.deepcopy(M.defaults)

---@param value any
---@return boolean
local function is_list_of_texts(value)
  if type(value) ~= "table" then
    return false
  end
  local count = 0
  for key, item in pairs(value) do
    if type(key) ~= "number" or type(item) ~= "string" then
      return false
    end
    count = count + 1
  end
  return count == #value
end

---The problem with a value, or nil.
---@param name string
---@param value any
---@param default any
---@return string?
local function problem_of(name, value, default)
  if name == "settings" then
    return type(value) ~= "table" and "must be a table" or nil
  elseif name == "border" then
    return type(value) ~= "string" and type(value) ~= "table" and "must be a name or a list of characters" or nil
  elseif name:find("^picker%.keys%.") then
    local fits = value == false or type(value) == "string" or is_list_of_texts(value)
    return not fits and "must be a key, a list of keys or false" or nil
  elseif name == "cmd" or type(default) == "table" then
    local fits = is_list_of_texts(value) and (name ~= "cmd" or #value > 0)
    return not fits and "must be a list of strings" or nil
  elseif type(value) ~= type(default) then
    return "must be a " .. type(default)
  elseif allowed[name] and not vim.tbl_contains(allowed[name], value) then
    return "must be one of " .. table.concat(allowed[name], ", ")
  elseif ranges[name] and not (value >= ranges[name][1] and value <= ranges[name][2]) then
    return ("must be between %s and %s"):format(ranges[name][1], ranges[name][2])
  end
end

---Options that are groups of options.
local groups = { picker = true, ["picker.keys"] = true, sidebar = true }

---@param defaults table
---@param given table
---@param prefix string
---@param problems string[]
---@return table
local function merged(defaults, given, prefix, problems)
  local result = vim.deepcopy(defaults)
  for key, value in pairs(given) do
    local name = prefix .. tostring(key)
    local default = defaults[key]
    local problem
    if default == nil then
      problem = "is not an option"
    elseif groups[name] then
      problem = type(value) ~= "table" and "must be a table" or nil
      if not problem then
        result[key] = merged(default, value, name .. ".", problems)
      end
    else
      problem = problem_of(name, value, default)
      if not problem then
        result[key] = value
      end
    end
    if problem then
      problems[#problems + 1] = name .. " " .. problem
    end
  end
  return result
end

---Set the options; missing ones get their defaults.
---@param options table?
---@return string[] problems in alphabetical order
function M.set(options)
  local problems = {}
  if options ~= nil and type(options) ~= "table" then
    options, problems = {}, { "setup() expects a table" }
  end
  M.current = merged(M.defaults, options or {}, "", problems)
  table.sort(problems)
  return problems
end

return M
