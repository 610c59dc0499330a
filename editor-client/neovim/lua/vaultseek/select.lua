---Results in `vim.ui.select`.
local client = require("vaultseek.client")
local render = require("vaultseek.render")

local M = {}

---@param item table
---@return string
local function label_of(item)
  local width = vim.o.columns - vim.fn.strwidth(item.title) - #"99:   "
  local more = render.brief(item, width, client.encoding())
  return render.one_line(("%s  %s"):format(item.title, more))
end

---Let the user choose a result.
---@param items table[]
---@param title string
---@param callback fun(item: table)
function M.choose(items, title, callback)
  local options = { prompt = ("%s (%d notes)"):format(title, #items), kind = "vaultseek", format_item = label_of }
  vim.ui.select(items, options, function(item)
    if item then
      callback(item)
    end
  end)
end

return M
