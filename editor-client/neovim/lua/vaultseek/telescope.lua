---The same search in Telescope, if it is installed. Order and strengths come from the server.
local client = require("vaultseek.client")
local config = require("vaultseek.config")
local fold = require("vaultseek.fold")
local live = require("vaultseek.live")
local open = require("vaultseek.open")
local render = require("vaultseek.render")

local M = {}

---The width of the rows of Telescope's results.
---@param picker table
---@return integer
local function width_of(picker)
  local window = picker.results_win
  local is_open = window and vim.api.nvim_win_is_valid(window)
  return (is_open and vim.api.nvim_win_get_width(window) or math.floor(vim.o.columns * 0.4)) - 2
end

---@param item table
---@param width integer of a row
---@return table entry
local function entry_of(item, width)
  local encoding = client.encoding()
  local place = open.place_of(item, encoding)
  local title = ("%s  %s  "):format(render.strength(item), item.title)
  return {
    value = item,
    ordinal = item.id,
    display = render.one_line(title .. render.brief(item, width - vim.fn.strwidth(title), encoding)),
    filename = place.path,
    path = place.path,
    lnum = place.line + 1,
    col = place.character + 1,
    place = place,
  }
end

---A finder that searches on the server; Telescope calls it after every key and drops results of older ones.
---@param question vaultseek.Question
---@param width fun(): integer of a row
local function new_finder(question, width)
  local process, complete
  local options = { debounce_ms = config.current.debounce_ms, takes_blank = question.takes_blank }
  local asked = live.new(question.source, options, function(state)
    if state.phase == "done" then
      for _, item in ipairs(fold.weak_last(state.answer.results)) do
        process(entry_of(item, width()))
      end
    end
    if state.phase ~= "asking" and state.phase ~= "partial" then
      complete()
    end
  end)
  local finder = { close = asked.close }
  return setmetatable(finder, {
    __call = function(_, prompt, process_result, process_complete)
      process, complete = process_result, process_complete
      asked.ask(prompt or "")
    end,
  })
end

---@param question vaultseek.Question
---@param options table? options of Telescope
function M.open(question, options)
  options = options or {}
  local actions = require("telescope.actions")
  local action_state = require("telescope.actions.state")
  local values = require("telescope.config").values
  local hows = { default = "edit", horizontal = "split", vertical = "vsplit", tab = "tab" }
  local picker
  picker = require("telescope.pickers").new(options, {
    prompt_title = question.title,
    default_text = question.query,
    finder = new_finder(question, function()
      return width_of(picker)
    end),
    sorter = require("telescope.sorters").empty(),
    previewer = values.grep_previewer(options),
    attach_mappings = function(prompt_buf)
      for name, how in pairs(hows) do
        actions["select_" .. name]:replace(function()
          local entry = action_state.get_selected_entry()
          actions.close(prompt_buf)
          if entry then
            open.open(entry.place, how)
          end
        end)
      end
      return true
    end,
  })
  picker:find()
end

return M
