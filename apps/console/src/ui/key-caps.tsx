/** Keys as on a keyboard. */
export function KeyCaps({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className="flex gap-1">
      {keys.map((key) => (
        <kbd key={key} className="min-w-5 rounded-[4px] border bg-sunken px-1 text-center font-mono text-xs leading-4.5 text-muted">
          {key}
        </kbd>
      ))}
    </span>
  )
}
