---The picker's keys: what they do, how they are mapped, and how they are shown.
local client = require("vaultseek.client")
local config = require("vaultseek.config")
local fold = require("vaultseek.fold")
local open = require("vaultseek.open")
local quickfix = require("vaultseek.quickfix")

local M = {}

local function picker()
  return require("vaultseek.picker")
end

local actions = {}

local function opener(how)
  return function(shown)
    local item = shown.items[shown.selected]
    if item and item.fold then
      picker().toggle_weak()
    end
    if not item or item.fold then
      return vim.cmd("startinsert!")
    end
    local place = open.place_of(item, client.encoding())
    picker().close()
    open.open(place, how, shown.origin)
  end
end

actions.open = opener("edit")
actions.split = opener("split")
actions.vsplit = opener("vsplit")
actions.tab = opener("tab")

function actions.close()
  picker().close()
end

function actions.quickfix(shown)
  if #shown.items == 0 then
    return vim.cmd("startinsert!")
  end
  local title = shown.view.title .. ": " .. shown.state.query
  local encoding = client.encoding()
  local results = fold.weak_last(shown.state.answer.results)
  picker().close()
  quickfix.fill(results, title, encoding)
end

function actions.next()
  picker().move(1)
end

function actions.previous()
  picker().move(-1)
end

function actions.explain()
  picker().toggle("explanation")
end

function actions.preview()
  picker().toggle("preview")
end

function actions.kinds()
  picker().toggle_kinds()
end

function actions.scroll_down(shown)
  shown.view:scroll_side("down")
end

function actions.scroll_up(shown)
  shown.view:scroll_side("up")
end

---Run the action of a key.
---@param name string
function M.act(name)
  local shown = picker().current()
  if not shown then
    return
  end
  local ok, problem = pcall(actions[name], shown)
  if not ok and tostring(problem):find("Keyboard interrupt", 1, true) then
    return picker().close() -- <C-c> interrupted the action of the previous key
  elseif not ok then
    error(problem, 0)
  end
end

---Actions that leave the prompt leave Insert mode first, or the cursor would be off by one afterwards.
local leaving = { open = true, split = true, vsplit = true, tab = true, quickfix = true, close = true }

---Keys of Normal mode that are not configurable.
local normal_keys = { ["<Esc>"] = "close", q = "close", j = "next", k = "previous" }

---@param name string
---@return string[]
local function keys_of(name)
  local keys = config.current.picker.keys[name]
  return type(keys) == "table" and keys or { keys or nil }
end

---Map the keys of a prompt.
---@param buf integer
function M.set(buf)
  local function map(mode, key, name)
    local rhs = ("<Cmd>lua require('vaultseek.keys').act('%s')<CR>"):format(name)
    local prefix = mode == "i" and leaving[name] and "<Esc>" or ""
    vim.keymap.set(mode, key, prefix .. rhs, { buffer = buf, nowait = true, silent = true })
  end
  for key, name in pairs(normal_keys) do
    map("n", key, name)
  end
  for name in pairs(config.current.picker.keys) do
    for _, key in ipairs(keys_of(name)) do
      map("i", key, name)
      map("n", key, name)
    end
  end
end

local described = {
  { "open", "open the note" },
  { "split", "in a split" },
  { "vsplit", "in a vertical split" },
  { "tab", "in a tab" },
  { "quickfix", "all to the quickfix list" },
  { "explain", "why it is here" },
  { "preview", "preview on or off" },
  { "kinds", "notes only or all files" },
}

---The text below an empty prompt.
---@return string[]
function M.hints()
  local lines = { 'Words, "a phrase", -without, tag:#name, folder:Name', "" }
  for _, hint in ipairs(described) do
    local key = keys_of(hint[1])[1]
    if key then
      table.insert(lines, ("%-7s %s"):format(key, hint[2]))
    end
  end
  return lines
end

return M
