# SPDX-FileCopyrightText: The schedconf authors
# SPDX-License-Identifier: Apache-2.0
#
# docker build --build-arg VERSION=v1.2.3 --build-arg COMMIT=$(git rev-parse HEAD) -t schedconf .
# docker build --target engine … -t schedconf-engine .
#
# Both images hold static programs and nothing else, and run as a user without rights. Builds of one commit
# with the same arguments hold the same files.

ARG GO=1.26.8

FROM --platform=$BUILDPLATFORM golang:${GO} AS sources
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
ARG COMMIT=unknown
ARG TARGETOS
ARG TARGETARCH

FROM sources AS build-engine
RUN cd dryrun/engine && go mod download
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH make engine VERSION=$VERSION COMMIT=$COMMIT
# What is explained waits on the disk until it is printed.
RUN mkdir -p -m 1777 bin/root/tmp && mv bin/schedconf bin/schedconf-engine bin/root/

FROM sources AS build
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH make build VERSION=$VERSION COMMIT=$COMMIT

FROM scratch AS engine
COPY --from=build-engine /src/bin/root/ /
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/schedconf"]

# The last stage is what is built without --target.
FROM scratch AS schedconf
COPY --from=build /src/bin/schedconf /schedconf
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/schedconf"]
