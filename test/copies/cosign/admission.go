package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// review is what an API server asks about an object, and the answer.
type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID    string `json:"uid"`
	Object struct {
		Spec podSpec `json:"spec"`
	} `json:"object"`
}

type podSpec struct {
	InitContainers      []container `json:"initContainers"`
	Containers          []container `json:"containers"`
	EphemeralContainers []container `json:"ephemeralContainers"`
}

type container struct {
	Image string `json:"image"`
}

type response struct {
	UID     string `json:"uid"`
	Allowed bool   `json:"allowed"`
	Status  status `json:"status"`
}

type status struct {
	Message string `json:"message,omitempty"`
}

// admit serves a webhook that admits a pod only if a key signed each of its images below a name, as `cosign verify --key` accepts it.
// It also wants digests: a tag can be moved after the check. Images of other repositories are not its business.
func admit(ctx context.Context, certificate, certificateKey, key, prefix string) error {
	if _, err := os.Stat(key); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("listening on %s\n", listener.Addr())
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked review
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Request == nil {
			http.Error(w, "no review", http.StatusBadRequest)
			return
		}
		asked.Response = &response{UID: asked.Request.UID, Allowed: true}
		if err := refusal(ctx, asked.Request.Object.Spec, key, prefix); err != nil {
			asked.Response.Allowed, asked.Response.Status.Message = false, err.Error()
		}
		asked.Request = nil
		_ = json.NewEncoder(w).Encode(asked)
	})
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.ServeTLS(listener, certificate, certificateKey)
}

func refusal(ctx context.Context, spec podSpec, key, prefix string) error {
	for _, list := range [][]container{spec.InitContainers, spec.Containers, spec.EphemeralContainers} {
		for _, each := range list {
			if !strings.HasPrefix(each.Image, prefix) {
				continue
			}
			if !strings.Contains(each.Image, "@sha256:") {
				return fmt.Errorf("the image %s has no digest", each.Image)
			}
			if err := verify(ctx, "cosign3", key, each.Image); err != nil {
				return fmt.Errorf("the image %s is not signed: %w", each.Image, err)
			}
		}
	}
	return nil
}
