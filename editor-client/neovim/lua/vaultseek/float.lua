---A small window next to the cursor that closes when the cursor moves.
local config = require("vaultseek.config")
local highlight = require("vaultseek.highlight")

local M = {}

---The maximum width of its text.
---@return integer
function M.width()
  return math.max(math.min(80, vim.o.columns - 6), 10)
end

---@param rendered vaultseek.Rendered
---@return integer buf, integer window
function M.show(rendered)
  local options = { border = config.current.border, max_width = M.width(), focus_id = "vaultseek", wrap = true }
  local lines = #rendered.lines > 0 and rendered.lines or { "" }
  local buf, window = vim.lsp.util.open_floating_preview(lines, "", options)
  highlight.put(buf, rendered.marks)
  return buf, window
end

return M
