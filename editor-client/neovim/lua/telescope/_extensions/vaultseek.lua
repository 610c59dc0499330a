---`:Telescope vaultseek`, after `require("telescope").load_extension("vaultseek")`.
local function search(options)
  options = options or {}
  require("vaultseek").search(options.query, { ui = "telescope", options = options.options })
end

local function related(options)
  require("vaultseek").related({ ui = "telescope", heading = options and options.heading })
end

return require("telescope").register_extension({
  exports = { vaultseek = search, search = search, related = related },
})
