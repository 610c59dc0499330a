---A list that is updated after every key: a prompt, results with excerpts, and a preview of the selected note.
local client = require("vaultseek.client")
local config = require("vaultseek.config")
local explain = require("vaultseek.explain")
local fold = require("vaultseek.fold")
local highlight = require("vaultseek.highlight")
local keys = require("vaultseek.keys")
local live = require("vaultseek.live")
local preview = require("vaultseek.preview")
local render = require("vaultseek.render")
local View = require("vaultseek.view")

local M = {}

---The open picker; there is at most one.
---@class vaultseek.Picker
---@field view vaultseek.View
---@field live vaultseek.Live
---@field state vaultseek.LiveState
---@field items table[] the results on the screen, and the line above the weak ones
---@field unfolded string? the query whose weak results are shown
---@field kinds vaultseek.Kinds?
---@field rendered vaultseek.Rendered
---@field selected integer
---@field pane "preview"|"explanation"
---@field origin integer the window to go back to
local picker

---The text at the end of the prompt.
local function count_words(state)
  if state.phase == "failed" then
    return "no answer", "VaultseekProblem"
  elseif state.phase == "blank" then
    return "", "VaultseekCount"
  end
  local answer = state.answer
  local count = answer and ("%d/%d"):format(#(answer.results or {}), answer.total or 0) or ""
  local kinds = picker.kinds and picker.kinds.value == "notes" and "notes " or ""
  return kinds .. count .. (state.phase == "done" and "" or " …"), "VaultseekCount"
end

local function show_side()
  local view, item = picker.view, picker.items[picker.selected]
  if not view.geometry.side then
    return
  end
  if not item or item.fold then
    vim.bo[view.buffers.side].syntax = ""
    return view:fill("side", render.nothing())
  end
  if picker.pane == "explanation" then
    vim.bo[view.buffers.side].syntax = ""
    view:fill("side", explain.of_result(item, view:width_of("side")))
    return view:center_side(0)
  end
  local rendered, line = preview.of_result(item, client.encoding())
  view:fill("side", rendered)
  vim.bo[view.buffers.side].syntax = "markdown"
  view:center_side(line)
end

---Mark the selected result, and show it in the side window.
local function show_selection()
  local rendered, view = picker.rendered, picker.view
  local marks = vim.deepcopy(rendered.marks)
  local first, last = rendered.rows[picker.selected], rendered.last_rows[picker.selected]
  for row = first or 0, last or -1 do
    table.insert(marks, { row = row, from = 0, to = -1, group = "VaultseekSelection" })
  end
  highlight.put(view.buffers.results, marks)
  if first then
    view:reveal("results", first)
  end
  show_side()
end

---Lines of the list other than results.
local function add_words(rendered, state, width)
  if state.phase == "failed" then
    render.append(rendered, render.wrapped(state.problem, width, ""), "VaultseekProblem")
  elseif state.phase == "blank" then
    render.append(rendered, keys.hints(), "VaultseekHint")
  elseif state.answer and #picker.items == 0 and (state.phase == "done" or state.answer.complete) then
    render.append(rendered, { picker.nothing_found }, "VaultseekHint")
  elseif state.phase == "done" and fold.are_all_weak(state.answer.results) then
    render.append(rendered, { "Nothing answers this well." }, "VaultseekHint")
  elseif not state.answer then
    render.append(rendered, { "Searching …" }, "VaultseekHint")
  end
  for _, notice in ipairs(state.phase ~= "failed" and state.answer and state.answer.notices or {}) do
    render.append(rendered, render.wrapped(notice.message, width, ""), "VaultseekNotice")
  end
end

---Draw the current state; a selected note stays selected as long as the query is the same.
local function draw()
  local state, view = picker.state, picker.view
  local selected = picker.has_moved and picker.items[picker.selected]
  local results = state.phase ~= "failed" and state.answer and state.answer.results or {}
  for _, item in ipairs(results) do
    if selected and item.id == selected.id and fold.is_weak(item) then
      picker.unfolded = state.query
    end
  end
  picker.items = fold.items(results, picker.unfolded == state.query)
  picker.selected = 1
  for number, item in ipairs(picker.items) do
    if selected and item.id == selected.id and not item.fold == not selected.fold then
      picker.selected = number
    end
  end
  local width = view:width_of("results")
  local options = { width = width, encoding = client.encoding(), snippets = config.current.snippets }
  picker.rendered = render.results(picker.items, options)
  add_words(picker.rendered, state, width)
  view:fill("results", picker.rendered)
  view:set_count(count_words(state))
  show_selection()
end

---Close the picker. The cursor goes back to the original window, unless the user has left the prompt.
function M.close()
  local closing = picker
  if not closing then
    return
  end
  picker = nil
  closing.live.close()
  pcall(vim.api.nvim_del_augroup_by_id, closing.group)
  local is_here = vim.api.nvim_get_current_win() == closing.view.windows.prompt
  closing.view:close()
  if is_here and vim.api.nvim_win_is_valid(closing.origin) then
    vim.api.nvim_set_current_win(closing.origin)
  end
end

local function ask()
  local query = picker.view:query()
  if query ~= picker.state.query then
    picker.has_moved = false
    picker.live.ask(query)
  end
end

local function watch(view)
  local group = vim.api.nvim_create_augroup("VaultseekPicker", { clear = true })
  picker.group = group
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP" }, {
    group = group,
    buffer = view.buffers.prompt,
    callback = ask,
  })
  vim.api.nvim_create_autocmd({ "WinLeave", "BufLeave" }, {
    group = group,
    buffer = view.buffers.prompt,
    callback = function()
      local mine = picker
      vim.schedule(function()
        if picker and picker == mine and vim.api.nvim_get_current_win() ~= view.windows.prompt then
          vim.cmd("stopinsert")
          M.close()
        end
      end)
    end,
  })
  vim.api.nvim_create_autocmd("VimResized", {
    group = group,
    callback = function()
      if view:is_whole() then
        view:arrange()
        draw()
      end
    end,
  })
end

---Open a picker.
---@param options vaultseek.Question
function M.open(options)
  M.close()
  local origin = vim.api.nvim_get_current_win()
  local view = View.new(options.title)
  picker = {
    view = view,
    origin = origin,
    state = { phase = "blank", query = "" },
    items = {},
    rendered = render.nothing(),
    selected = 1,
    pane = "preview",
    kinds = options.kinds,
    nothing_found = options.nothing_found or "No notes found.",
  }
  local mine = picker
  local how = { debounce_ms = config.current.debounce_ms, takes_blank = options.takes_blank }
  picker.live = live.new(options.source, how, function(state)
    if picker == mine and view:is_whole() then
      picker.state = state
      draw()
    end
  end)
  keys.set(view.buffers.prompt)
  watch(view)
  local query = vim.trim(options.query or "")
  view:set_query(query)
  picker.live.ask(query, true)
  vim.cmd("startinsert!")
end

---The open picker, for the actions.
---@return vaultseek.Picker?
function M.current()
  return picker
end

---Select another result, wrapping around at the ends.
---@param by integer
function M.move(by)
  if #picker.items > 0 then
    picker.has_moved = true
    picker.selected = (picker.selected - 1 + by) % #picker.items + 1
    show_selection()
  end
end

---Show or hide the weak results.
function M.toggle_weak()
  local is_open = picker.unfolded == picker.state.query
  picker.unfolded = not is_open and picker.state.query or nil
  picker.has_moved = true -- the line stays selected
  draw()
end

---Search notes only, or all files again.
function M.toggle_kinds()
  local kinds = picker.kinds
  if kinds then
    kinds.value = kinds.value == "notes" and "everything" or "notes"
    picker.live.ask(picker.view:query(), true)
  end
end

---Show a pane, or hide it if it is visible. Without room next to the results, it covers them.
---@param pane "preview"|"explanation"
function M.toggle(pane)
  local view = picker.view
  local is_shown = view.geometry.side and picker.pane == pane
  if is_shown and pane == "explanation" then
    picker.pane = "preview"
    view.side = config.current.picker.preview and "auto" or "never"
  else
    picker.pane = pane
    view.side = is_shown and "never" or "always"
  end
  view:arrange()
  draw()
end

---The current state, for tests and statuslines.
---@return table?
function M.snapshot()
  if not picker or not picker.view:is_whole() then
    return nil
  end
  local view = picker.view
  return {
    phase = picker.state.phase,
    query = picker.state.query,
    ids = vim.tbl_map(function(item)
      return item.fold or item.id
    end, picker.items),
    selected = picker.selected,
    lines = vim.api.nvim_buf_get_lines(view.buffers.results, 0, -1, false),
    side = view.geometry.side and vim.api.nvim_buf_get_lines(view.buffers.side, 0, -1, false) or {},
    has_side = view.geometry.side ~= nil,
  }
end

return M
