// The rules by which the API server judges objects when they are created, in one program: it reads manifests from standard input, each
// set of documents ended by a zero byte, and answers each set with one line: a JSON list of what is wrong.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	apps "k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	autoscaling "k8s.io/kubernetes/pkg/apis/autoscaling"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	core "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	networking "k8s.io/kubernetes/pkg/apis/networking"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	policy "k8s.io/kubernetes/pkg/apis/policy"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// Kinds that Kubernetes itself does not have: tests check them by their own definitions.
var foreign = map[string]bool{"HTTPRoute": true, "Route": true}

// An unknown field and a field twice are errors, as they are for helm and kubectl.
var codecs = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)

func main() {
	input := bufio.NewReader(os.Stdin)
	for {
		set, err := input.ReadBytes(0)
		if err == io.EOF {
			return
		}
		answer, _ := json.Marshal(problemsOf(bytes.TrimSuffix(set, []byte{0})))
		fmt.Println(string(answer))
	}
}

func problemsOf(set []byte) []string {
	problems := []string{}
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(set)))
	for {
		document, err := reader.Read()
		if err == io.EOF {
			return problems
		}
		if err != nil {
			return append(problems, err.Error())
		}
		problems = append(problems, problemsOfDocument(document)...)
	}
}

func problemsOfDocument(document []byte) []string {
	var found struct{ Kind string }
	if err := yaml.Unmarshal(document, &found); err != nil {
		return []string{err.Error()}
	}
	if found.Kind == "" || foreign[found.Kind] {
		return nil
	}
	object, _, err := codecs.UniversalDeserializer().Decode(document, nil, nil)
	if err != nil {
		return []string{found.Kind + ": " + err.Error()}
	}
	legacyscheme.Scheme.Default(object)
	problems := []string{}
	for _, problem := range validate(found.Kind, object) {
		problems = append(problems, found.Kind+": "+problem.Error())
	}
	return problems
}

func validate(kind string, object runtime.Object) field.ErrorList {
	pods := corevalidation.PodValidationOptions{}
	switch kind {
	case "ConfigMap":
		return corevalidation.ValidateConfigMap(as(object, &core.ConfigMap{}))
	case "Secret":
		return corevalidation.ValidateSecret(as(object, &core.Secret{}))
	case "Service":
		service := as(object, &core.Service{})
		// the API server fills these in before it validates
		if service.Spec.ClusterIP != "" && len(service.Spec.ClusterIPs) == 0 {
			service.Spec.ClusterIPs = []string{service.Spec.ClusterIP}
		}
		if service.Spec.ExternalTrafficPolicy == core.ServiceExternalTrafficPolicyLocal && service.Spec.Type == core.ServiceTypeLoadBalancer {
			service.Spec.HealthCheckNodePort = 30000
		}
		return corevalidation.ValidateServiceCreate(service)
	case "Pod":
		return corevalidation.ValidatePodCreate(as(object, &core.Pod{}), pods)
	case "Deployment":
		return appsvalidation.ValidateDeployment(as(object, &apps.Deployment{}), pods)
	case "HorizontalPodAutoscaler":
		options := autoscalingvalidation.HorizontalPodAutoscalerSpecValidationOptions{MinReplicasLowerBound: 1}
		return autoscalingvalidation.ValidateHorizontalPodAutoscaler(as(object, &autoscaling.HorizontalPodAutoscaler{}), options)
	case "Ingress":
		return networkingvalidation.ValidateIngressCreate(as(object, &networking.Ingress{}))
	case "NetworkPolicy":
		options := networkingvalidation.NetworkPolicyValidationOptions{}
		return networkingvalidation.ValidateNetworkPolicy(as(object, &networking.NetworkPolicy{}), options)
	case "PodDisruptionBudget":
		options := policyvalidation.PodDisruptionBudgetValidationOptions{}
		return policyvalidation.ValidatePodDisruptionBudget(as(object, &policy.PodDisruptionBudget{}), options)
	}
	return field.ErrorList{field.NotSupported[string](field.NewPath("kind"), kind, nil)}
}

// The type that the rules are written for.
func as[Internal runtime.Object](versioned runtime.Object, internal Internal) Internal {
	if err := legacyscheme.Scheme.Convert(versioned, internal, nil); err != nil {
		panic(err)
	}
	return internal
}
