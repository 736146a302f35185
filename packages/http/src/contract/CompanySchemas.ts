/** Companies, as the domain's views render them. */
import { Schema } from "effect"
import { piiInteger, piiNumberOrNull, piiText, piiTextOrNull } from "./Fields.ts"

const name = piiTextOrNull("Name of the company", "Northwind")

/** A company in full, as `companyView` renders it, with its id as text. */
export const CompanyBody = Schema.Struct({
  id: piiText("Decimal digits: leadCompany.id as text", "12"),
  name,
  url: piiTextOrNull("The company's page on the network", "https://network.example/company/northwind"),
  homepageUrl: piiTextOrNull("URL of the company's own site", "https://northwind.example"),
  logoUrl: piiTextOrNull("URL of the company's logo", "https://media.network.example/northwind.png"),
  industry: piiTextOrNull("Industry, as the network names it", "Food Production"),
  staffCountRange: piiTextOrNull("Number of employees, as a range", "51-200"),
  staffCount: piiNumberOrNull("Number of employees", 120),
  location: piiTextOrNull("Where the company is", "Lisbon, Portugal"),
  country: piiTextOrNull("Country", "Portugal"),
  city: piiTextOrNull("City", "Lisbon"),
  username: piiTextOrNull("Vanity name of the company's page", "northwind"),
  description: piiTextOrNull("What the company says of itself", "We trade in fine foods.")
}).annotations({ identifier: "Company", description: "A company: an employer, or a page that is watched" })

/** A lead's employer beside its other fields, with the id as a number. [DET-1] */
export const LeadCompanyBody = Schema.Struct({
  id: piiInteger("Id of the company on the network, as a number", 12),
  name,
  domain: piiTextOrNull("The company's domain", "northwind.example")
}).annotations({ identifier: "LeadCompany", description: "The lead's employer, in short" })
