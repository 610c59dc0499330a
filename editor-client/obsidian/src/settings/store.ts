// The user's settings. Only what differs from the server's defaults is kept and sent.
//
// What starts a program, decides where text is sent or where files are written belongs to this machine: it is kept
// outside the vault, so that neither a vault from elsewhere nor a synchronization can set it.

import type { Linked } from "../views/related_list";
import { SERVER_SETTINGS, type ServerSetting } from "./server";

export type Value = boolean | number | string | readonly string[] | Readonly<Record<string, string | number>> | null;
type Values = Record<string, Value>;

/** Where settings are kept. */
export interface Keeping {
  loadVault(): Promise<unknown>;
  saveVault(values: object): Promise<void>;
  loadMachine(): unknown;
  saveMachine(values: object): void;
}

const LINKED: readonly Linked[] = ["last", "include", "exclude"];

export class Store {
  private ofVault: Values = {};
  private ofMachine: Values = {};

  constructor(private readonly keeping: Keeping) {}

  /** Reads the settings; called again when another program has changed them. */
  async load(): Promise<void> {
    this.ofVault = known(await this.keeping.loadVault(), false);
    this.ofMachine = known(this.keeping.loadMachine(), true);
  }

  /** The settings for the server. */
  forServer(): Values {
    const names = new Set(SERVER_SETTINGS.map(({ name }) => name));
    return Object.fromEntries(Object.entries({ ...this.ofVault, ...this.ofMachine }).filter(([name]) => names.has(name)));
  }

  value(setting: ServerSetting): Value {
    return (setting.isOfMachine ? this.ofMachine : this.ofVault)[setting.name] ?? setting.initial;
  }

  /** Stores a value; the default is not stored. */
  async change(setting: ServerSetting, value: Value): Promise<void> {
    const isDefault = JSON.stringify(value) === JSON.stringify(setting.initial);
    await this.put(setting.isOfMachine, setting.name, isDefault ? undefined : value);
  }

  /** The path of the server's program, empty if it is to be searched. */
  get serverPath(): string {
    const path = this.ofMachine.serverPath;
    return typeof path === "string" ? path : "";
  }

  async changeServerPath(path: string): Promise<void> {
    await this.put(true, "serverPath", path.trim() === "" ? undefined : path.trim());
  }

  get linked(): Linked {
    return LINKED.find((each) => each === this.ofVault.relatedLinked) ?? "last";
  }

  async changeLinked(linked: string): Promise<void> {
    await this.put(false, "relatedLinked", linked);
  }

  private async put(isOfMachine: boolean, name: string, value: Value | undefined): Promise<void> {
    const { [name]: _old, ...others } = isOfMachine ? this.ofMachine : this.ofVault;
    const next = value === undefined ? others : { ...others, [name]: value };
    if (isOfMachine) {
      this.ofMachine = next;
      this.keeping.saveMachine(next);
    } else {
      this.ofVault = next;
      await this.keeping.saveVault(next);
    }
  }
}

/** The settings that may come from this place. */
function known(read: unknown, isOfMachine: boolean): Values {
  const own = isOfMachine ? ["serverPath"] : ["relatedLinked"];
  const names = new Set([...own, ...SERVER_SETTINGS.filter((each) => each.isOfMachine === isOfMachine).map(({ name }) => name)]);
  return typeof read === "object" && read !== null
    ? Object.fromEntries(Object.entries(read as Values).filter(([name]) => names.has(name)))
    : {};
}
