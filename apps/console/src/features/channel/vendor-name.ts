import { type VendorColor, vendorGroups } from '@sluice/vendors/core/vendor'
import { useCallback, useMemo } from 'react'
import { useLocale, useT } from '../../lib/t.ts'
import { vendorByType, vendorName, vendors } from '../../lib/vendors.ts'

interface TypeTag {
  readonly name: string
  readonly color: VendorColor
}

/** The name of a channel type, and the colour of its tag. */
export function useTypeTag(): (type: number) => TypeTag {
  const t = useT()
  const locale = useLocale()
  return useCallback(
    (type) => {
      const vendor = vendorByType(type)
      if (vendor === null) return { name: t('channel.type.unknown', { type }), color: 'grey' }
      return { name: vendorName(vendor, locale), color: vendor.color }
    },
    [t, locale],
  )
}

interface TypeGroup {
  readonly label: string
  readonly types: readonly (TypeTag & { readonly type: number })[]
}

/** The types to choose from, in groups; the channel's present one is among them even if this version does not know it. */
export function useTypeGroups(present: number): readonly TypeGroup[] {
  const t = useT()
  const locale = useLocale()
  return useMemo(() => {
    const known = vendorGroups.map((group) => ({
      label: t(`channel.types.${group}`),
      types: vendors
        .filter((vendor) => vendor.group === group)
        .map((vendor) => ({ type: vendor.type, name: vendorName(vendor, locale), color: vendor.color })),
    }))
    const usable = known.filter(({ types }) => types.length > 0)
    if (vendorByType(present) !== null) return usable
    const unknown = { type: present, name: t('channel.type.unknown', { type: present }), color: 'grey' } as const
    return [{ label: t('channel.types.unknown'), types: [unknown] }, ...usable]
  }, [present, locale, t])
}
