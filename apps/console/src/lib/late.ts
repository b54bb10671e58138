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

/**
 * Fails only when every part has come or failed: what tries again at once would be given the request of a part that is still on its way,
 * and fail with it.
 */
export async function allParts<Module>(module: Promise<Module>, ...others: readonly Promise<unknown>[]): Promise<Module> {
  await Promise.allSettled([module, ...others])
  await Promise.all(others)
  return await module
}
