---`:VaultRelated`: notes related to the current one, each with a reason.
local client = require("vaultseek.client")
local columns = require("vaultseek.columns")
local message = require("vaultseek.message")
local root = require("vaultseek.root")

local M = {}

---Request the notes related to a note, to one of its sections or to some of its lines.
---@param buf integer
---@param options {heading: string?, lines: integer[]?, linked: string?, limit: integer?, folder: string}
---@param callback fun(problem: string?, answer: table?)
---@return vaultseek.Handle
function M.ask(buf, options, callback)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buf) },
    vault = vim.uri_from_fname(options.folder),
    heading = options.heading,
    linked = options.linked,
    limit = options.limit,
  }
  if options.lines then
    local first, last = options.lines[1], options.lines[2]
    local text = vim.api.nvim_buf_get_lines(buf, last - 1, last, false)[1] or ""
    params.range = {
      start = { line = first - 1, character = 0 },
      ["end"] = { line = last - 1, character = columns.of_byte(text, #text, client.encoding()) },
    }
  end
  return client.request("vaultseek/related", params, { folder = options.folder, buf = buf }, callback)
end

---@param answer table
---@param query string
---@return table the answer with only those results that contain every word of the query
local function filtered(answer, query)
  local words = vim.split(vim.fn.tolower(query), "%s+", { trimempty = true })
  local results = vim.tbl_filter(function(item)
    local text = vim.fn.tolower(table.concat({ item.title, item.id, item.reason or "" }, " "))
    for _, word in ipairs(words) do
      if not text:find(word, 1, true) then
        return false
      end
    end
    return true
  end, answer.results)
  return vim.tbl_extend("force", answer, { results = results })
end

---A source that sends one request; the prompt then filters its results.
---@return vaultseek.Source
local function narrowing(buf, options)
  local found
  return function(query, _, on_done)
    if found then
      on_done(nil, filtered(found, query))
      return nil
    end
    return M.ask(buf, options, function(problem, answer)
      found = answer
      on_done(problem, answer and filtered(answer, query))
    end)
  end
end

---Show related notes.
---@param options {heading: string?, lines: integer[]?, linked: string?, ui: string?}?
function M.show(options)
  options = vim.tbl_extend("force", {}, options or {})
  local buf = vim.api.nvim_get_current_buf()
  options.folder = root.of_buffer(buf)
  if not options.folder then
    return message.warn("this is not a note in a vault")
  end
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ":t:r")
  require("vaultseek.search").present(options.ui, {
    title = "Related to " .. (options.heading or name),
    query = "",
    source = narrowing(buf, options),
    takes_blank = true,
    nothing_found = "No related notes found.",
  })
end

return M
