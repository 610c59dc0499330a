---The layout of the picker's windows: a pure function from sizes to rectangles that fit any screen.
local M = {}

---@class vaultseek.Rectangle
---@field row integer
---@field col integer
---@field width integer without the border
---@field height integer without the border

---@class vaultseek.Layout
---@field border boolean
---@field prompt vaultseek.Rectangle
---@field results vaultseek.Rectangle
---@field side vaultseek.Rectangle?

---@param lines integer available to windows
---@param columns integer
---@param wanted {width: number, height: number, side: "auto"|"always"|"never"}
---  auto: only if there is room next to the results
---@return vaultseek.Layout
function M.compute(lines, columns, wanted)
  local height = math.max(math.min(lines, math.max(math.floor(lines * wanted.height), 12)), 2)
  local width = math.max(math.min(columns, math.max(math.floor(columns * wanted.width), 40)), 1)
  local top = math.max(math.floor((lines - height) / 2), 0)
  local left = math.max(math.floor((columns - width) / 2), 0)
  local has_border = height >= 8 and width >= 20
  local edge = has_border and 2 or 0

  local function inside(row, col, outer_width, outer_height)
    return {
      row = row,
      col = col,
      width = math.max(outer_width - edge, 1),
      height = math.max(outer_height - edge, 1),
    }
  end

  local prompt_height = 1 + edge
  local below = height - prompt_height
  local layout = { border = has_border }
  if width >= 90 and wanted.side ~= "never" then
    local list_width = math.floor(width * 0.45)
    layout.prompt = inside(top, left, list_width, prompt_height)
    layout.results = inside(top + prompt_height, left, list_width, below)
    layout.side = inside(top, left + list_width, width - list_width, height)
    return layout
  end
  layout.prompt = inside(top, left, width, prompt_height)
  layout.results = inside(top + prompt_height, left, width, below)
  if wanted.side == "always" then
    if below >= 12 then
      local upper = math.floor(below / 2)
      layout.results = inside(top + prompt_height, left, width, upper)
      layout.side = inside(top + prompt_height + upper, left, width, below - upper)
    else
      layout.side = inside(top + prompt_height, left, width, below) -- on top of the results
    end
  end
  return layout
end

return M
