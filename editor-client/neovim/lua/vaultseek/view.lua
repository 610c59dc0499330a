---The picker's windows: a prompt, the results, and a side window for the preview or the explanation.
---They are arranged again when the screen changes; the cursor stays in the prompt.
local config = require("vaultseek.config")
local highlight = require("vaultseek.highlight")
local layout = require("vaultseek.layout")

local M = {}
M.__index = M

local has_titles = vim.fn.has("nvim-0.9") == 1

local function new_buffer(name)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].undolevels = -1
  vim.b[buf].vaultseek = name
  return buf
end

---Disable completion plugins in the prompt: they do not offer notes.
local function silence_completion(buf)
  vim.b[buf].completion = false
  local cmp = package.loaded.cmp
  if cmp then
    pcall(vim.api.nvim_buf_call, buf, function()
      cmp.setup.buffer({ enabled = false })
    end)
  end
end

---@class vaultseek.View
---@field title string
---@field side "auto"|"always"|"never"
---@field buffers table<string, integer>
---@field windows table<string, integer>
---@field geometry vaultseek.Layout
---@param title string
---@return vaultseek.View
function M.new(title)
  local view = setmetatable({ title = title, windows = {}, buffers = {}, is_open = true }, M)
  view.side = config.current.picker.preview and "auto" or "never"
  for _, name in ipairs({ "prompt", "results", "side" }) do
    view.buffers[name] = new_buffer(name)
  end
  vim.bo[view.buffers.prompt].filetype = "vaultseek-prompt"
  silence_completion(view.buffers.prompt)
  vim.bo[view.buffers.side].bufhidden = "hide" -- its window comes and goes
  vim.bo[view.buffers.results].modifiable = false
  view:arrange()
  return view
end

local order = { "results", "side", "prompt" }

---@param rectangle vaultseek.Rectangle
function M:_window_config(name, rectangle)
  local options = {
    relative = "editor",
    row = rectangle.row,
    col = rectangle.col,
    width = rectangle.width,
    height = rectangle.height,
    style = "minimal",
    focusable = name == "prompt",
    border = self.geometry.border and config.current.border or "none",
    zindex = name == "side" and 52 or 50,
  }
  if has_titles and name == "prompt" and self.geometry.border and config.current.border ~= "none" then
    options.title = " " .. self.title .. " "
  end
  return options
end

---Open, move or close the windows so that they fit the screen.
function M:arrange()
  local wanted = config.current.picker
  local lines = vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0)
  local size = { width = wanted.width, height = wanted.height, side = self.side }
  self.geometry = layout.compute(lines, vim.o.columns, size)
  for _, name in ipairs(order) do
    local rectangle, window = self.geometry[name], self.windows[name]
    local is_valid = window and vim.api.nvim_win_is_valid(window)
    if rectangle and is_valid then
      vim.api.nvim_win_set_config(window, self:_window_config(name, rectangle))
    elseif rectangle then
      self.windows[name] = self:_open(name, rectangle)
    elseif is_valid then
      self.windows[name] = nil
      vim.api.nvim_win_close(window, true)
    end
  end
end

function M:_open(name, rectangle)
  local window = vim.api.nvim_open_win(self.buffers[name], name == "prompt", self:_window_config(name, rectangle))
  vim.wo[window].winhighlight = "FloatBorder:VaultseekBorder"
  vim.wo[window].wrap = name == "side"
  vim.wo[window].scrolloff = name == "results" and config.current.snippets + 1 or 0
  vim.wo[window].sidescrolloff = 0
  vim.wo[window].foldenable = false
  vim.wo[window].spell = false
  if name == "prompt" then
    vim.wo[window].signcolumn = "yes"
  end
  return window
end

---@return integer
function M:width_of(name)
  return self.geometry[name] and self.geometry[name].width or 0
end

---Fill a buffer.
---@param name "results"|"side"
---@param rendered vaultseek.Rendered
function M:fill(name, rendered)
  local buf = self.buffers[name]
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, rendered.lines)
  vim.bo[buf].modifiable = false
  highlight.put(buf, rendered.marks)
end

---Make a line visible; `scrolloff` makes those below it visible too.
---@param line integer from 0
function M:reveal(name, line)
  local window = self.windows[name]
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_set_cursor(window, { line + 1, 0 })
  end
end

---Show a line in the middle of the side window.
---@param line integer from 0
function M:center_side(line)
  local window = self.windows.side
  if window and vim.api.nvim_win_is_valid(window) then
    local above = math.floor(vim.api.nvim_win_get_height(window) / 2)
    vim.api.nvim_win_call(window, function() -- not `zz`: <C-c> would interrupt it with an error
      vim.fn.winrestview({ lnum = line + 1, col = 0, topline = math.max(line + 1 - above, 1) })
    end)
  end
end

---@param direction "down"|"up"
function M:scroll_side(direction)
  local window = self.windows.side
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_call(window, function()
      local key = direction == "down" and "<C-d>" or "<C-u>"
      vim.cmd("normal! " .. vim.api.nvim_replace_termcodes(key, true, true, true))
    end)
  end
end

---Whether the windows still exist; a user can close them with any command.
---@return boolean
function M:is_whole()
  return self.is_open
    and vim.api.nvim_buf_is_valid(self.buffers.prompt)
    and vim.api.nvim_buf_is_valid(self.buffers.results)
    and vim.api.nvim_win_is_valid(self.windows.prompt)
end

---The text of the prompt on one line.
---@return string
function M:query()
  local lines = vim.api.nvim_buf_get_lines(self.buffers.prompt, 0, -1, false)
  return (table.concat(lines, " "):gsub("^%s+", ""))
end

---@param text string
function M:set_query(text)
  vim.api.nvim_buf_set_lines(self.buffers.prompt, 0, -1, false, { (text:gsub("%c", " ")) })
  vim.api.nvim_win_set_cursor(self.windows.prompt, { 1, #text })
end

---Set the text at the end of the prompt.
---@param text string
---@param group string
function M:set_count(text, group)
  local buf = self.buffers.prompt
  vim.api.nvim_buf_clear_namespace(buf, highlight.namespace, 0, -1)
  vim.api.nvim_buf_set_extmark(buf, highlight.namespace, 0, 0, { sign_text = ">", sign_hl_group = "VaultseekPrompt" })
  vim.api.nvim_buf_set_extmark(buf, highlight.namespace, 0, 0, {
    virt_text = { { text, group } },
    virt_text_pos = "right_align",
  })
end

---Close all windows; does nothing the second time.
function M:close()
  self.is_open = false
  for _, name in ipairs({ "side", "results", "prompt" }) do
    local window = self.windows[name]
    self.windows[name] = nil
    if window and vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_close(window, true)
    end
    if vim.api.nvim_buf_is_valid(self.buffers[name]) then
      vim.api.nvim_buf_delete(self.buffers[name], { force = true })
    end
  end
end

return M
