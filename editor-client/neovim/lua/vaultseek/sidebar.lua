---`:VaultSidebar`: a window with the notes related to the current one.
---It follows the cursor from note to note, and never moves it.
local client = require("vaultseek.client")
local config = require("vaultseek.config")
local explain = require("vaultseek.explain")
local float = require("vaultseek.float")
local highlight = require("vaultseek.highlight")
local live = require("vaultseek.live")
local message = require("vaultseek.message")
local open = require("vaultseek.open")
local related = require("vaultseek.related")
local root = require("vaultseek.root")
local sidebar_lines = require("vaultseek.sidebar_lines")

local M = {}

local sidebar = {
  buf = nil, ---@type integer?
  note = nil, ---@type integer? the buffer whose related notes it shows
  item_at = {}, ---@type table<integer, table> row from 1 -> the result in that row
}

---The sidebar's window in the current tab.
---@return integer?
local function window()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if sidebar.buf and vim.api.nvim_win_get_buf(win) == sidebar.buf then
      return win
    end
  end
end

---@param state vaultseek.LiveState
local function draw(state)
  local win = window()
  if not win or not vim.api.nvim_buf_is_valid(sidebar.buf) then
    return
  end
  local is_there = sidebar.note and vim.api.nvim_buf_is_valid(sidebar.note)
  local name = is_there and vim.fn.fnamemodify(vim.api.nvim_buf_get_name(sidebar.note), ":t:r") or ""
  local rendered, item_at = sidebar_lines.of(name, state, vim.api.nvim_win_get_width(win) - 1)
  sidebar.item_at = item_at
  vim.bo[sidebar.buf].modifiable = true
  vim.api.nvim_buf_set_lines(sidebar.buf, 0, -1, false, rendered.lines)
  vim.bo[sidebar.buf].modifiable = false
  highlight.put(sidebar.buf, rendered.marks)
end

---The source of related notes. The query is the buffer's number, which only tells notes apart.
local function source(_, _, on_done)
  local note = sidebar.note
  local folder = note and vim.api.nvim_buf_is_valid(note) and root.of_buffer(note)
  if not folder then
    return on_done("this is not a note in a vault")
  end
  local options = config.current.sidebar
  return related.ask(note, { folder = folder, linked = options.linked, limit = options.limit }, on_done)
end

---Request the related notes again.
function M.refresh()
  if sidebar.live and sidebar.note then
    sidebar.live.ask(tostring(sidebar.note))
  end
end

---Follow to a note; entering any other buffer changes nothing.
local function follow(buf)
  if window() and root.of_buffer(buf) then
    if buf ~= sidebar.note then
      sidebar.note = buf
      sidebar.live.ask(tostring(buf))
    end
  end
end

---Close the sidebar if it is the last window.
local function leave_if_alone()
  local windows = vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_config(win).relative == ""
  end, vim.api.nvim_tabpage_list_wins(0))
  if #windows == 1 and windows[1] == window() and vim.api.nvim_get_current_win() == windows[1] then
    pcall(vim.cmd, "quit")
  end
end

local function watch()
  local group = vim.api.nvim_create_augroup("VaultseekSidebar", { clear = true })
  local function on(event, callback, buf)
    vim.api.nvim_create_autocmd(event, { group = group, callback = callback, buffer = buf })
  end
  on({ "BufEnter", "BufWinEnter" }, function(event)
    if event.buf == sidebar.buf then
      return vim.schedule(leave_if_alone)
    end
    -- the file type of a note that is being opened is set a little later
    vim.schedule(function()
      if event.buf == vim.api.nvim_get_current_buf() then
        follow(event.buf)
      end
    end)
  end)
  on("BufWritePost", function(event)
    if event.buf == sidebar.note and window() then
      M.refresh()
    end
  end)
  on("BufWipeout", function()
    sidebar.live.close()
    vim.api.nvim_del_augroup_by_id(group)
    sidebar = { item_at = {} }
  end, sidebar.buf)
end

---@return table? item under the cursor
local function item_here()
  return sidebar.item_at[vim.api.nvim_win_get_cursor(0)[1]]
end

local function set_keys(buf)
  local function map(key, action)
    vim.keymap.set("n", key, action, { buffer = buf, nowait = true, silent = true })
  end
  local keys = config.current.picker.keys
  local function opener(how)
    return function()
      local item = item_here()
      if item then
        open.open(open.place_of(item, client.encoding()), how, vim.fn.win_getid(vim.fn.winnr("#")))
      end
    end
  end
  for name, how in pairs({ open = "edit", split = "split", vsplit = "vsplit", tab = "tab" }) do
    for _, key in ipairs(type(keys[name]) == "table" and keys[name] or { keys[name] or nil }) do
      map(key, opener(how))
    end
  end
  map("q", M.close)
  map("r", M.refresh)
  map("K", function()
    local item = item_here()
    if item then
      float.show(explain.of_result(item, float.width()))
    end
  end)
end

local function new_buffer()
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = "vaultseek"
  pcall(vim.api.nvim_buf_set_name, buf, "vaultseek://related")
  return buf
end

local look = {
  cursorline = true,
  fillchars = "eob: ",
  foldcolumn = "0",
  list = false,
  number = false,
  relativenumber = false,
  signcolumn = "no",
  spell = false,
  winfixwidth = true,
  wrap = true,
}

---Open the sidebar without moving the cursor.
function M.open()
  local note = vim.api.nvim_get_current_buf()
  if window() then
    return
  end
  if not sidebar.buf then
    sidebar.buf = new_buffer()
    sidebar.live = live.new(source, { debounce_ms = config.current.debounce_ms }, draw)
    set_keys(sidebar.buf)
    watch()
  end
  local before = vim.api.nvim_get_current_win()
  local side = config.current.sidebar.position == "left" and "topleft" or "botright"
  if not pcall(vim.cmd, "noautocmd vertical " .. side .. " split") then
    return message.warn("there is no room for a sidebar")
  end
  local win = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(win, sidebar.buf)
  vim.api.nvim_win_set_width(win, config.current.sidebar.width)
  for name, value in pairs(look) do
    vim.wo[win][name] = value
  end
  vim.api.nvim_set_current_win(before)
  sidebar.note = nil
  follow(note)
  if not sidebar.note then
    draw({ phase = "blank" })
  end
end

---Close the sidebar of the current tab.
function M.close()
  local win = window()
  if win then
    if not pcall(vim.api.nvim_win_close, win, true) then -- it is the last window
      vim.cmd("enew")
    end
  end
end

---Open or close the sidebar.
function M.toggle()
  if window() then
    M.close()
  else
    M.open()
  end
end

return M
