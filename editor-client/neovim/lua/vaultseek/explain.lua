---Why a note has its rank, in words and numbers.
local render = require("vaultseek.render")

local M = {}

local function number(value)
  return (("%.4f"):format(value):gsub("%.?0+$", ""))
end

---One step of a trail as text, and the score after it: `found` sets it, `fused` adds to it (to 0 if the previous
---step was `found`), `scaled` multiplies it, `replaced` sets it.
local function step_line(step, before, score)
  if step.kind == "found" then
    return ("%s found it with %s"):format(step.source, number(step.raw)), step.raw
  elseif step.kind == "fused" then
    local sum = (before == "found" and 0 or score) + step.amount
    local from = ("rank %d in %s, weight %s"):format(step.rank, step.source, number(step.weight))
    return ("+ %s for %s = %s"):format(number(step.amount), from, number(sum)), sum
  elseif step.kind == "scaled" then
    local product = score * step.factor
    return ("x %s %s: %s = %s"):format(number(step.factor), step.by, step.why or "", number(product)), product
  end
  return ("= %s %s: %s"):format(number(step.value), step.by, step.why or ""), step.value
end

---@param trail table[]
---@return string[]
function M.steps(trail)
  local lines, score, before = {}, 0, nil
  for _, step in ipairs(trail) do
    local line
    line, score = step_line(step, before, score)
    before = step.kind
    table.insert(lines, line)
  end
  return lines
end

local function word_line(word)
  local how = "no match"
  if word.match then
    how = word.match .. (word.form and " " .. word.form or "") .. (word.field and " in " .. word.field or "")
  end
  local near = word.isNear and ", near the others" or ""
  return ("%s, weight %s: %s, quality %s%s"):format(word.word, number(word.weight), how, number(word.quality), near)
end

---The arithmetic of a strength, one line for each fact.
---@param strength table|nil the `strength` of an explanation
---@return string[]
function M.strength(strength)
  if not strength then
    return {}
  end
  local lines = {}
  if strength.exactName then
    table.insert(lines, ("the query is the name “%s”"):format(strength.exactName))
  else
    vim.list_extend(lines, vim.tbl_map(word_line, strength.words))
    local parts = ("coverage %s, nearness %s"):format(number(strength.coverage), number(strength.nearness))
    table.insert(lines, ("words %s: %s"):format(number(strength.byWords), parts))
    if strength.cosine then
      local between = ("%s and %s"):format(number(strength.floor), number(strength.ceiling))
      local cosine = ("cosine %s between %s"):format(number(strength.cosine), between)
      table.insert(lines, ("meaning %s: %s"):format(number(strength.byMeaning), cosine))
    end
  end
  table.insert(lines, ("strength %s"):format(number(strength.value)))
  return lines
end

---The explanation of a result.
---@param item table
---@param width integer
---@return vaultseek.Rendered
function M.of_result(item, width)
  local rendered = render.nothing()
  render.append(rendered, { ("%s  %s"):format(render.strength(item), item.title) }, "VaultseekTitle")
  render.append(rendered, { item.id, "" }, "VaultseekPath")
  render.append(rendered, render.wrapped(item.reason or item.sentence or "", width, ""), "VaultseekSnippet")
  render.append(rendered, { "" }, "VaultseekSnippet")
  for _, line in ipairs(M.strength(item.explanation and item.explanation.strength)) do
    render.append(rendered, render.wrapped(line, width, "  "), "VaultseekReason")
  end
  local trail = item.explanation and item.explanation.trail or {}
  for _, line in ipairs(M.steps(trail)) do
    local indent = line:find("^[+x=]") and "  " or ""
    render.append(rendered, render.wrapped(line, width, indent), "VaultseekReason")
  end
  return rendered
end

---The answer to `vaultseek/explain`.
---@param answer table
---@param query string
---@param width integer
---@return vaultseek.Rendered
function M.of_answer(answer, query, width)
  local rendered
  if answer.found then
    rendered = M.of_result(answer.found, width)
    local rank = answer.rank and ("Rank %d of %d for “%s”."):format(answer.rank, answer.total, query) or ""
    table.insert(rendered.lines, 3, rank)
    for _, mark in ipairs(rendered.marks) do
      mark.row = mark.row >= 2 and mark.row + 1 or mark.row
    end
  else
    rendered = render.nothing()
    render.append(rendered, { answer.note }, "VaultseekTitle")
    render.append(rendered, { ("Not among the %d notes for “%s”."):format(answer.total, query), "" }, "VaultseekPath")
    render.append(rendered, render.wrapped(answer.sentence, width, ""), "VaultseekSnippet")
    if answer.lastShown then
      local strength = answer.lastShown.strength and (" with strength %.2f"):format(answer.lastShown.strength) or ""
      local last = ("The last note shown is %s%s."):format(answer.lastShown.title, strength)
      render.append(rendered, render.wrapped(last, width, ""), "VaultseekReason")
    end
  end
  for _, notice in ipairs(answer.notices or {}) do
    render.append(rendered, render.wrapped(notice.message, width, ""), "VaultseekNotice")
  end
  return rendered
end

return M
