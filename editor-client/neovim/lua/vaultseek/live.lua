---A search that is sent again after every key.
---Each key cancels the running search; the next one is sent after a short pause. Answers to an older query, and answers
---that are older than the one on the screen, are dropped.
local M = {}

---@class vaultseek.LiveState
---@field phase "blank"|"asking"|"partial"|"done"|"failed"
---@field query string
---@field answer table? the latest answer, kept until a newer one arrives
---@field problem string?

---@alias vaultseek.Partial fun(answer: table)
---@alias vaultseek.Done fun(problem: string?, answer: table?)
---@alias vaultseek.Source fun(query: string, on_partial: vaultseek.Partial, on_done: vaultseek.Done): vaultseek.Handle?

---@class vaultseek.Live
---@field ask fun(query: string, now: boolean?)
---@field close fun()

---@param source vaultseek.Source
---@param options {debounce_ms: integer, takes_blank: boolean?}
---@param on_change fun(state: vaultseek.LiveState)
---@return vaultseek.Live
function M.new(source, options, on_change)
  local timer = vim.loop.new_timer()
  local sequence, handle = 0, nil
  local state = { phase = "blank", query = "" }

  local function change(fields)
    for field, value in pairs(fields) do
      state[field] = value
    end
    on_change(state)
  end

  local function stop()
    sequence = sequence + 1
    if timer then
      timer:stop()
    end
    if handle then
      handle.cancel()
      handle = nil
    end
  end

  local function send(query)
    local mine, generation, done = sequence, -1, false
    local function is_newest(answer)
      local newest = mine == sequence and not done and (answer.generation or 0) >= generation
      generation = newest and answer.generation or generation
      return newest
    end
    handle = source(query, function(answer)
      if is_newest(answer) then
        change({ phase = "partial", answer = answer })
      end
    end, function(problem, answer)
      if mine ~= sequence then
        return
      end
      if problem or not answer then
        done = true
        change({ phase = "failed", problem = problem or "the server sent an empty answer" })
      elseif is_newest(answer) then
        done = true
        change({ phase = "done", answer = answer })
      end
    end)
  end

  local live = {}

  function live.ask(query, now)
    if not timer then
      return
    end
    stop()
    state.query, state.problem = query, nil
    if not options.takes_blank and query:find("^%s*$") then
      state.answer = nil
      return change({ phase = "blank" })
    end
    change({ phase = "asking" })
    if now or options.debounce_ms == 0 then
      return send(query)
    end
    local mine = sequence
    timer:start(options.debounce_ms, 0, vim.schedule_wrap(function()
      if mine == sequence then
        send(query)
      end
    end))
  end

  function live.close()
    stop()
    if timer then
      timer:close()
      timer = nil
    end
  end

  return live
end

return M
