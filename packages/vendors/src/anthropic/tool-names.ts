/** Names of tools as the vendor takes them, and back. */
export interface ToolNames {
  /** The name to send. */
  send(name: string): string
  /** What was sent -> what the client called it; only names that had to change. */
  changed(): Readonly<Record<string, string>>
}

const accepted = /^[a-zA-Z0-9_-]{1,64}$/

/** Each refused name gets one of its own, made from its letters and, where two would be alike, a number. */
export function createToolNames(): ToolNames {
  const sentOf = new Map<string, string>()
  const taken = new Set<string>()
  return {
    send(name) {
      if (accepted.test(name)) return name
      const known = sentOf.get(name)
      if (known !== undefined) return known
      const base = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 58) || 'tool'
      let sent = base
      for (let number = 2; taken.has(sent); number++) sent = `${base}_${number}`
      taken.add(sent)
      sentOf.set(name, sent)
      return sent
    },
    changed: () => Object.fromEntries([...sentOf].map(([name, sent]) => [sent, name])),
  }
}
