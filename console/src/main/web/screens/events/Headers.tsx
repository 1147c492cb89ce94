import { CopyButton } from '~/components/CopyButton'
import { Empty } from '~/components/states'

export function Headers({ headers }: { headers: Record<string, string> }) {
  const all = Object.entries(headers)
  if (all.length === 0) {
    return (
      <Empty title="No headers.">
        <p>Its publisher gave it none.</p>
      </Empty>
    )
  }
  return (
    <table className="events-headers">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Value</th>
          <th scope="col">
            <span className="visually-hidden">Copy</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {all.map(([name, value]) => (
          <tr key={name}>
            <th scope="row" className="wrap">
              <code>{name}</code>
            </th>
            <td className="wrap">
              <code>{value}</code>
            </td>
            <td>
              <CopyButton text={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
