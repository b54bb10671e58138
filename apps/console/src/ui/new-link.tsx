import { Plus } from 'lucide-react'
import { ButtonLink } from './button.tsx'
import type { PagePath } from './page-path.ts'

/** The button of a list that opens the form of a new row. */
export function NewLink({ to, label }: { readonly to: PagePath; readonly label: string }) {
  return (
    <ButtonLink to={to} look="primary">
      <Plus aria-hidden className="size-4" />
      {label}
    </ButtonLink>
  )
}
