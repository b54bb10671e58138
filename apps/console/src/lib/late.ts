/** Code that is loaded when it is first needed. */
export interface Late<Module> {
  /** `null` = not loaded yet. */
  readonly loaded: () => Module | null
  /** After a failure, the next call tries again. */
  readonly load: () => Promise<Module>
}

export function late<Module>(load: () => Promise<Module>): Late<Module> {
  let module: Module | null = null
  let loading: Promise<Module> | null = null
  const start = async (): Promise<Module> => {
    try {
      module = await load()
      return module
    } finally {
      loading = null
    }
  }
  return {
    loaded: () => module,
    load: async () => {
      if (module !== null) return module
      loading ??= start()
      return await loading
    },
  }
}
