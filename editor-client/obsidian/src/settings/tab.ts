// The settings tab: the plugin's own settings, and those of the server as its classes describe them.

import { debounce, PluginSettingTab, Setting, type SettingDefinitionGroup, type SettingDefinitionItem } from "obsidian";
import { guarded } from "../guarded";
import type VaultseekPlugin from "../main";
import { SERVER_SETTINGS, type ServerSetting } from "./server";
import { allowed, endpointOf, marked, valueOf } from "./typed";
import type { Value } from "./store";

const PAUSE_MS = 600;
const PRESETS = ""; // the choice that leaves a setting to the preset

// Headings, each with its settings; settings of the server that are not named here are under the last one.
const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ["Results", ["maxResults", "snippets", "include", "exclude"]],
  ["Meaning", ["enableSemantic", "mode", "embeddingModel", "autoIndex"]],
  ["Endpoints", ["embedding", "chat", "rerank", "rerankPatienceS", "rerankThresholdMs"]],
  ["Ranking and files", []],
];

/** A setting that draws its own controls, so that it looks the same in every version of the app. */
interface Drawn {
  readonly name: string;
  readonly desc: string | DocumentFragment;
  readonly render: (row: Setting) => void;
}

export class SettingsTab extends PluginSettingTab {
  /** Tells the server after a pause in typing. */
  private readonly tell = debounce(() => {
    this.plugin.server.settingsChanged();
  }, PAUSE_MS, true);

  constructor(private readonly plugin: VaultseekPlugin) {
    super(plugin.app, plugin);
  }

  /** What Obsidian 1.13 and newer shows and searches. */
  override getSettingDefinitions(): SettingDefinitionItem[] {
    const named = new Set(GROUPS.flatMap(([, names]) => names));
    const groups = GROUPS.map(([heading, names]): SettingDefinitionGroup => {
      const rest = names.length === 0 ? SERVER_SETTINGS.filter(({ name }) => !named.has(name)) : [];
      const settings = [...names.flatMap((name) => SERVER_SETTINGS.filter((each) => each.name === name)), ...rest];
      return { type: "group", heading, cls: "vaultseek-settings", items: settings.map((setting) => this.definition(setting)) };
    });
    return [...this.own(), ...groups];
  }

  /** The same for older versions. */
  override display(): void {
    const { containerEl } = this;
    containerEl.empty();
    containerEl.addClass("vaultseek-settings");
    const show = ({ name, desc, render }: Drawn): void => {
      render(new Setting(containerEl).setName(name).setDesc(desc));
    };
    for (const item of this.getSettingDefinitions() as (Drawn | (SettingDefinitionGroup & { items: Drawn[] }))[]) {
      if ("items" in item) {
        new Setting(containerEl).setName(item.heading ?? "").setHeading();
        item.items.forEach(show);
      } else {
        show(item);
      }
    }
  }

  private own(): Drawn[] {
    const { plugin } = this;
    const restart = debounce(() => {
      guarded(plugin.server.restart());
    }, PAUSE_MS, true);
    return [
      {
        name: "Path of the server",
        desc: "The absolute path of the program on this machine. If empty, the usual folders and the login shell are searched.",
        render: (row) => {
          row.addText((text) =>
            text.setPlaceholder("/home/me/.local/bin/vaultseek").setValue(plugin.store.serverPath).onChange((value) => {
              guarded(plugin.store.changeServerPath(value));
              restart();
            }),
          );
        },
      },
      {
        name: "Linked notes among related ones",
        desc: "Where related notes list those that are linked with the open note already.",
        render: (row) => {
          row.addDropdown((dropdown) =>
            dropdown
              .addOptions({ last: "After all others", include: "Among the others", exclude: "Not at all" })
              .setValue(plugin.store.linked)
              .onChange((value) => {
                guarded(plugin.store.changeLinked(value));
              }),
          );
        },
      },
    ];
  }

  private definition(setting: ServerSetting): Drawn {
    const change = (next: Value): void => {
      guarded(this.plugin.store.change(setting, next));
      this.tell();
    };
    return {
      name: setting.title,
      desc: describe(setting.about),
      render: (row) => {
        this.fill(row, setting, this.plugin.store.value(setting), change);
      },
    };
  }

  private fill(row: Setting, setting: ServerSetting, value: Value, change: (next: Value) => void): void {
    switch (setting.kind) {
      case "switch":
        row.addToggle((toggle) => toggle.setValue(value === true).onChange(change));
        break;
      case "choice":
        row.addDropdown((dropdown) => {
          if (setting.initial === null) {
            dropdown.addOption(PRESETS, "As the preset says");
          }
          for (const choice of setting.choices ?? []) {
            dropdown.addOption(choice, choice);
          }
          dropdown.setValue(typeof value === "string" ? value : PRESETS).onChange((chosen) => {
            change(chosen === PRESETS ? null : chosen);
          });
        });
        break;
      case "list":
        row.addTextArea((area) =>
          area.setPlaceholder("One in each line").setValue(Array.isArray(value) ? value.join("\n") : "").onChange((typed) => {
            change(valueOf(setting, typed) ?? null);
          }),
        );
        break;
      case "endpoint":
        this.addEndpoint(row, setting, value, change);
        break;
      default:
        this.addField(row, setting, value, change);
    }
  }

  private addField(row: Setting, setting: ServerSetting, value: Value, change: (next: Value) => void): void {
    row.addText((text) => {
      const isNumber = setting.kind !== "text";
      const shown = typeof value === "number" || typeof value === "string" ? String(value) : "";
      text.setPlaceholder(setting.initial === null ? "As the preset says" : String(setting.initial)).setValue(shown);
      text.inputEl.inputMode = isNumber ? "decimal" : "text";
      text.onChange((typed) => {
        const next = valueOf(setting, typed);
        text.inputEl.toggleClass("vaultseek-invalid", next === undefined);
        text.inputEl.setAttribute("aria-invalid", String(next === undefined));
        row.setDesc(next === undefined ? allowed(setting) : describe(setting.about));
        if (next !== undefined) {
          change(next);
        }
      });
    });
  }

  private addEndpoint(row: Setting, setting: ServerSetting, value: Value, change: (next: Value) => void): void {
    const fields = setting.fields ?? {};
    const stored = typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, string | number>) : {};
    const typed: Record<string, string> = Object.fromEntries(Object.entries(stored).map(([name, each]) => [name, String(each)]));
    row.settingEl.addClass("vaultseek-endpoint");
    for (const name of Object.keys(fields)) {
      const isRequired = setting.required?.includes(name) === true;
      row.addText((text) => {
        text.setPlaceholder(isRequired ? `${name} (required)` : name).setValue(typed[name] ?? "");
        text.inputEl.setAttribute("aria-label", `${setting.title}: ${name}`);
        text.onChange((next) => {
          typed[name] = next;
          const endpoint = endpointOf(fields, typed);
          const isWhole = endpoint === null || (setting.required ?? []).every((each) => each in endpoint);
          row.settingEl.toggleClass("vaultseek-incomplete", !isWhole);
          if (isWhole) {
            change(endpoint);
          }
        });
      });
    }
  }
}

function describe(text: string): DocumentFragment {
  return createFragment((fragment) => {
    for (const part of marked(text)) {
      fragment.createEl(part.tag, { text: part.text });
    }
  });
}
