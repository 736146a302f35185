/** Which column holds which field: guessed first, and changed by hand. */
import { fields } from "./fields.ts"
import type { Preview } from "./readFile.ts"
import { Select } from "../ui/Select.tsx"

interface MappingProps {
  readonly preview: Preview
  readonly mapping: ReadonlyArray<string>
  readonly onChange: (mapping: ReadonlyArray<string>) => void
}

/** A row for each column of the file with a choice of its field. A phone leaves out the first rows of the file. */
export const Mapping = ({ mapping, onChange, preview }: MappingProps) => (
  <div className="card overflow-x-auto">
    <table aria-label="Columns" className="w-full border-separate border-spacing-0 text-sm">
      <thead>
        <tr className="text-muted text-left text-xs">
          <th scope="col" className="border-line border-b px-4 py-1.5 font-medium">
            Column
          </th>
          <th scope="col" className="border-line border-b px-2 py-1.5 font-medium">
            Field
          </th>
          <th scope="col" className="border-line border-b px-4 py-1.5 font-medium max-sm:hidden">
            First rows
          </th>
        </tr>
      </thead>
      <tbody>
        {preview.columns.map((column, i) => (
          <tr key={`${i} ${column}`}>
            <td className="border-line border-b px-4 py-1.5 font-medium">{column}</td>
            <td className="border-line border-b px-2 py-1.5">
              <Select
                aria-label={`Field of the column ${column}`}
                className="w-48"
                value={mapping[i] ?? ""}
                onChange={(event) =>
                  onChange(mapping.map((path, at) => (at === i ? event.target.value : path)))
                }
              >
                <option value="">Leave out</option>
                {fields.map(({ path, text }) => (
                  <option key={path} value={path} disabled={mapping[i] !== path && mapping.includes(path)}>
                    {text}
                  </option>
                ))}
              </Select>
            </td>
            <td className="border-line text-muted max-w-80 truncate border-b px-4 py-1.5 max-sm:hidden">
              {preview.rows
                .map((row) => row[i] ?? "")
                .filter((cell) => cell !== "")
                .join(" · ")}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
