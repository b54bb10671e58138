import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

type AddressChange = Readonly<Record<string, string | number | undefined>>

/** Changes search parameters; empty values and page 1 are left out. A change of the keyword adds no entry to the history. */
export function useAddress(): (change: AddressChange) => void {
  const navigate = useNavigate()
  return useCallback(
    (change) =>
      void navigate({
        to: '.',
        replace: 'q' in change,
        resetScroll: false,
        // Holds: each list's reader checks the parameters.
        search: ((old: AddressChange) => ({ ...old, ...filled(change) })) as never,
      }),
    [navigate],
  )
}

function filled(change: AddressChange): AddressChange {
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, value === '' || (name === 'page' && value === 1) ? undefined : value]),
  )
}
