---`:VaultSearch`: questions to the server, and the ways in which their answers are shown.
local client = require("vaultseek.client")
local config = require("vaultseek.config")
local message = require("vaultseek.message")
local open = require("vaultseek.open")
local root = require("vaultseek.root")

local M = {}

---@class vaultseek.SearchOptions
---@field ui "picker"|"select"|"quickfix"|"telescope"|nil
---@field vault string? a folder; the one that the current note lies in
---@field options table? of `vaultseek/search`: mode, folder, tags, maxResults and so on

---Asks a vault.
---@param folder string
---@param buf integer the note whose unsaved text has to be known
---@param more table?
---@return vaultseek.Source
function M.source(folder, buf, more)
  return function(query, on_partial, on_done)
    local params = { query = query, vault = vim.uri_from_fname(folder), options = more and next(more) and more or nil }
    return client.request("vaultseek/search", params, { folder = folder, buf = buf, on_partial = on_partial }, on_done)
  end
end

---What is asked and how it is called; the fields that |vaultseek.picker| takes.
---@class vaultseek.Question
---@field title string
---@field query string
---@field source vaultseek.Source
---@field takes_blank boolean? whether an empty query has an answer
---@field nothing_found string? the words for an empty answer

---Ask once, and hand over what was found; a failure and an empty answer are told.
---@param question vaultseek.Question
---@param callback fun(items: table[], encoding: string)
local function ask_once(question, callback)
  question.source(question.query, function() end, function(problem, answer)
    if problem or not answer then
      return message.fail(problem or "the server answered nothing")
    elseif #answer.results == 0 then
      local notice = answer.notices and answer.notices[1]
      local words = question.nothing_found or ("No note was found for “%s”."):format(question.query)
      return message.tell(words .. (notice and " " .. notice.message or ""))
    end
    callback(answer.results, client.encoding())
  end)
end

local uis = {}

function uis.picker(question)
  require("vaultseek.picker").open(question)
end

function uis.telescope(question)
  if not pcall(require, "telescope") then
    message.warn("Telescope is not installed; this is the picker that comes along")
    return uis.picker(question)
  end
  require("vaultseek.telescope").open(question)
end

function uis.quickfix(question)
  ask_once(question, function(items, encoding)
    local title = question.title .. (question.query ~= "" and ": " .. question.query or "")
    require("vaultseek.quickfix").fill(items, title, encoding)
  end)
end

function uis.select(question)
  local window = vim.api.nvim_get_current_win()
  ask_once(question, function(items, encoding)
    require("vaultseek.select").choose(items, question.title, function(item)
      open.open(open.place_of(item, encoding), "edit", window)
    end)
  end)
end

---Show the answers to a question in the way that is asked for, or that is configured.
---@param ui string?
---@param question vaultseek.Question
function M.present(ui, question)
  uis[ui or config.current.ui](question)
end

---Search.
---@param query string?
---@param options vaultseek.SearchOptions?
function M.search(query, options)
  options, query = options or {}, vim.trim(query or "")
  local buf = vim.api.nvim_get_current_buf()
  local folder = options.vault and root.named(options.vault) or root.meant(buf)
  if not folder then
    return message.warn("no vault here: open a note below a folder with `.obsidian`, or name one in `vaults`")
  end
  local ui = options.ui or config.current.ui
  local question = { title = "Vault", query = query, source = M.source(folder, buf, options.options) }
  if query ~= "" or ui == "picker" or ui == "telescope" then
    return M.present(ui, question)
  end
  vim.ui.input({ prompt = "Search the vault: " }, function(typed)
    question.query = vim.trim(typed or "")
    if question.query ~= "" then
      M.present(ui, question)
    end
  end)
end

return M
