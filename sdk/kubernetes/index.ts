import "../../provider/adapters/dynamic/nodeVersion"; // first: see there
import "./kubernetesPackage";

export { SelfHostedDocs, type SelfHostedDocsArgs, type ReleaseSettings } from "./selfHostedDocs";
export type { RequestedFeatures } from "./requestedFeatures";
export {
  featureSupport,
  type DeploymentKind,
  type Feature,
  type FeatureSupport,
  type SelfHostedDeploymentKind,
} from "../featureSupport";
