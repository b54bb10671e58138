/**
 * Makes a value of each text once, and returns the same one for as long as somebody holds it, so that copies of a text take neither the time
 * nor the memory again.
 */
export function createSharedValues<Value extends object>(make: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, WeakRef<Value>>()
  const collected = new FinalizationRegistry<string>((text) => {
    if (values.get(text)?.deref() === undefined) values.delete(text)
  })
  return (text) => {
    const known = values.get(text)?.deref()
    if (known !== undefined) return known
    const value = make(text)
    values.set(text, new WeakRef(value))
    collected.register(value, text)
    return value
  }
}
