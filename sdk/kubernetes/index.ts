import "../../provider/adapters/session/nodeVersion"; // first: see there
import "./kubernetesPackage";

export { SelfHostedDocs, type SelfHostedDocsArgs, type ReleaseSettings } from "./selfHostedDocs";
export type { ImageVerificationArgs } from "./verifiedImage";
export { featureSupport } from "../featureSupport";
export type {
  DeploymentKind,
  Feature,
  FeatureSupport,
  RequestedFeatures,
  SelfHostedDeploymentKind,
} from "../../provider/installation/featureTable";
