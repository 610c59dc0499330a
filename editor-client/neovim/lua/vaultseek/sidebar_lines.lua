---The sidebar's lines. Never touches a window.
local render = require("vaultseek.render")

local M = {}

---@param rendered vaultseek.Rendered
---@param item_at table<integer, table>
local function add_item(rendered, item, width, item_at)
  local first = #rendered.lines + 1
  render.append(rendered, render.wrapped(item.title, width, ""), "VaultseekTitle")
  if item.isLinked then
    local row = #rendered.lines - 1
    local text = rendered.lines[row + 1]
    rendered.lines[row + 1] = text .. "  linked"
    table.insert(rendered.marks, { row = row, from = #text + 2, to = #text + 8, group = "VaultseekLinked" })
  end
  render.append(rendered, render.wrapped(item.reason or item.sentence or "", width, "  "), "VaultseekReason")
  for row = first, #rendered.lines do
    item_at[row] = item
  end
end

---@param name string of the note
---@param state vaultseek.LiveState
---@param width integer
---@return vaultseek.Rendered rendered, table<integer, table> item_at row from 1 -> the result in that row
function M.of(name, state, width)
  local rendered, item_at = render.nothing(), {}
  local items = state.answer and state.answer.results or {}
  render.append(rendered, { name .. (state.phase == "asking" and " …" or ""), "" }, "VaultseekPath")
  if state.phase == "failed" then
    render.append(rendered, render.wrapped(state.problem, width, ""), "VaultseekProblem")
  elseif state.phase == "done" and #items == 0 then
    render.append(rendered, { "No related notes." }, "VaultseekHint")
  else
    for _, item in ipairs(items) do
      add_item(rendered, item, width, item_at)
    end
  end
  for _, notice in ipairs(state.phase == "done" and state.answer.notices or {}) do
    render.append(rendered, render.wrapped(notice.message, width, ""), "VaultseekNotice")
  end
  return rendered, item_at
end

return M
