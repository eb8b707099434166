# Part of gst-capture. Apache License 2.0, see LICENSE.
#
# `make` alone lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
# The folder of the service's configuration: /etc for the folders of the system, and inside of any other PREFIX.
SYSCONFDIR ?= $(if $(filter /usr /usr/local,$(PREFIX)),/etc,$(PREFIX)/etc)
# The folder of GStreamer's plugins: its own for the prefix /usr; GST_PLUGIN_PATH names that of any other PREFIX.
PLUGINS ?= $(if $(filter /usr,$(PREFIX)),/usr/lib/$(shell dpkg-architecture -q DEB_HOST_MULTIARCH)/gstreamer-1.0,$(PREFIX)/lib/gstreamer-1.0)
# `make test FILTER=Schedule` runs the tests whose names match.
FILTER ?=

# With --static-swift-stdlib Swift exports all symbols of a program, and the linker keeps what only these name.
RELEASE := -c release --static-swift-stdlib --disable-local-rpath -Xlinker -L$(CURDIR)/.build/static -Xlinker --no-export-dynamic
# With these, names of source files in the programs do not depend on the folder of the checkout: `fatalError` of packages
# with Swift 5 names the file by its whole path, as do the errors of BoringSSL in C.
RELOCATABLE := -Xcc -ffile-prefix-map=$(CURDIR)=. -Xswiftc -Xfrontend -Xswiftc -enable-experimental-concise-pound-file
COMMAND := .build/release/gst-capture
# What `make build` builds with the package trait Service, and `make install` installs.
FULL := .build/service/release
SHARE := .build/share
# Runs a command with the servers of the outbox.
SERVERS := scripts/test-servers .build-test/servers
SWIFT_SOURCES := $(wildcard Package.swift Sources Tests Benchmarks)
# All shell scripts, by their first line, and the parts that they read. Only `make lint` searches them.
SCRIPTS = $(sort $(shell grep -slE '^\#!/bin/(ba)?sh' $(wildcard scripts/* .ci/* Benchmarks/* Tests/Lab/* Tests/Lab/Scripts/* Tests/Packages/* Tests/Board/* packaging/debian/*)) $(wildcard Tests/Lab/Scripts/*.sh Tests/Board/*.sh Tests/Board/machine/*.sh))

.PHONY: help capture build arm64 release static service-packages install uninstall deb repository
.PHONY: test build-tests test-release test-tsan test-asan test-board screenshots embedding test-packages
.PHONY: soak soak-series soak-service soak-hostile soak-viewers soak-kiosk soak-together soak-page soak-library
.PHONY: soak-outbox soak-outbox-beside soak-outbox-many soak-records soak-records-sync soak-films
.PHONY: bench bench-page bench-page-library bench-stream bench-video bench-browser bench-record bench-film bench-overlay bench-growth bench-library bench-compare
.PHONY: format lint clean

help: ## say what there is to make
	@echo 'gst-capture: pictures from cameras. Start with: make capture'
	@echo
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 27

# --- Use

PICTURES := .build/debug/gst-capture snap --burst 3 -o '$(CURDIR)/captures/%Y-%m-%d_%H-%M-%S_%n.jpg'

# Builds without optimization, which takes a third of the processor time; the pictures are the same.
capture: ## take three pictures with the first camera, or of the built-in scene
	@scripts/setup build
	swift build --product gst-capture
	swift build --product gst-capture-raster
	@$(PICTURES) || if [ $$? -eq 69 ]; then echo 'Here is the built-in scene instead.' && $(PICTURES) --camera scene; fi

build: static service-packages ## build the command and the service, the man page and shell completions, to install
	swift build $(RELEASE) $(RELOCATABLE) --scratch-path .build/service --traits Service --product gst-capture
	swift build $(RELEASE) $(RELOCATABLE) --scratch-path .build/service --traits Service --product gst-capture-raster
	swift build $(RELEASE) $(RELOCATABLE) --scratch-path .build/service --traits Service --product gst-capture-serve
	STATIC_PLUGIN=1 swift build $(RELEASE) $(RELOCATABLE) --scratch-path .build/service --traits Service --product gstoutline -Xlinker -soname=libgstoutline.so -Xlinker --version-script=$(CURDIR)/packaging/gstoutline.map
	@mkdir -p $(SHARE)
	scripts/man $(FULL)/gst-capture > $(SHARE)/gst-capture.1
	$(FULL)/gst-capture --generate-completion-script bash > $(SHARE)/gst-capture.bash
	@# Shells source this file, and never start it: a line with #! has no effect.
	@sed -i '1{/^#!/d}' $(SHARE)/gst-capture.bash
	$(FULL)/gst-capture --generate-completion-script zsh > $(SHARE)/gst-capture.zsh
	$(FULL)/gst-capture --generate-completion-script fish > $(SHARE)/gst-capture.fish

arm64: ## build the command, the service and the tests for boards: arm64, Debian 13; as root
	@scripts/setup arm64
	scripts/arm64

# The command without the service: it neither fetches nor builds an HTTP server.
release: static
	swift build $(RELEASE) --product gst-capture
	swift build $(RELEASE) --product gst-capture-raster

# Links libstdc++ statically, like Swift's own libraries: the start is shorter, and the program needs one library less.
static:
	@scripts/setup build
	@mkdir -p .build/static
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" .build/static/libstdc++.a

service-packages:
	@scripts/setup service

# Whether the Debian package is installed where `make install` installs.
PACKAGED := test -z '$(DESTDIR)' && test "$$(dpkg-query --show --showformat '$${db:Status-Status}' gst-capture 2>/dev/null)" = installed

# Builds nothing: `make build && sudo make install` needs no Swift for root.
install: ## install what `make build` made; PREFIX=/usr/local, DESTDIR=, SYSCONFDIR=
	@test -e $(SHARE)/gst-capture.fish || { echo 'make install: run make build first' >&2; exit 1; }
	install -D -m 755 $(FULL)/gst-capture $(DESTDIR)$(PREFIX)/bin/gst-capture
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec/gst-capture $(FULL)/gst-capture-raster $(FULL)/gst-capture-serve
	install -D -m 644 -t $(DESTDIR)$(PLUGINS) $(FULL)/libgstoutline.so
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gst-capture/pipelines $(wildcard pipelines/*.yaml)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gst-capture/pipelines/outlines $(wildcard pipelines/outlines/*)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gst-capture/page $(wildcard page/*)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gst-capture/pipelines/sessions $(wildcard pipelines/sessions/*)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gst-capture/pipelines/records $(wildcard pipelines/records/*)
	install -D -m 644 $(SHARE)/gst-capture.1 $(DESTDIR)$(PREFIX)/share/man/man1/gst-capture.1
	install -D -m 644 $(SHARE)/gst-capture.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/gst-capture
	install -D -m 644 $(SHARE)/gst-capture.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_gst-capture
	install -D -m 644 $(SHARE)/gst-capture.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/gst-capture.fish
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's,@PREFIX@,$(PREFIX),' packaging/gst-capture@.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/gst-capture@.service
	sed 's,@PREFIX@,$(PREFIX),; s,@SYSCONFDIR@,$(SYSCONFDIR),' packaging/gst-capture-serve.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/gst-capture-serve.service
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system packaging/gst-capture-serve.socket
	sed 's,@PREFIX@,$(PREFIX),; s,@SYSCONFDIR@,$(SYSCONFDIR),' packaging/gst-capture-send.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/gst-capture-send.service
	install -D -m 644 packaging/gst-capture.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/gst-capture.conf
	install -D -m 644 packaging/gst-capture.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/gst-capture.conf
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gst-capture/outbox $(wildcard packaging/outbox/*.yaml)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gst-capture/prometheus packaging/prometheus/gst-capture.rules.yml
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gst-capture/grafana packaging/grafana/gst-capture.json
	@# An earlier version had it among the presets.
	@test ! -e $(DESTDIR)$(SYSCONFDIR)/gst-capture/serve.yaml || test -e $(DESTDIR)$(SYSCONFDIR)/gst-capture-serve.yaml || mv $(DESTDIR)$(SYSCONFDIR)/gst-capture/serve.yaml $(DESTDIR)$(SYSCONFDIR)/gst-capture-serve.yaml
	@test -e $(DESTDIR)$(SYSCONFDIR)/gst-capture-serve.yaml || install -D -m 644 packaging/serve.yaml $(DESTDIR)$(SYSCONFDIR)/gst-capture-serve.yaml
	@! { $(PACKAGED); } || echo 'make install: the package gst-capture is installed, too, and this copy hides it; keep one: sudo apt-get remove gst-capture, or sudo make uninstall' >&2

uninstall: ## remove what `make install` installed
	rm -f $(DESTDIR)$(PREFIX)/bin/gst-capture
	rm -rf $(DESTDIR)$(PREFIX)/libexec/gst-capture
	rm -f $(DESTDIR)$(PLUGINS)/libgstoutline.so
	rm -rf $(DESTDIR)$(PREFIX)/share/gst-capture
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/gst-capture.1
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/gst-capture
	rm -f $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_gst-capture
	rm -f $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/gst-capture.fish
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/system/gst-capture@.service
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/lib/systemd/system/gst-capture-,serve.service serve.socket send.service)
	rm -f $(DESTDIR)$(PREFIX)/lib/sysusers.d/gst-capture.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/gst-capture.conf
	@# The Debian package has the same file.
	@! cmp -s packaging/serve.yaml $(DESTDIR)$(SYSCONFDIR)/gst-capture-serve.yaml || { test -z '$(DESTDIR)' && dpkg-query --search $(SYSCONFDIR)/gst-capture-serve.yaml >/dev/null 2>&1; } || rm -f $(DESTDIR)$(SYSCONFDIR)/gst-capture-serve.yaml

# --- Packages

# The architecture of the packages; the programs of another one are in .build-ARCH/release.
ARCH ?= $(shell dpkg --print-architecture)

# scripts/deb lists further variables.
deb: build ## make Debian packages in .build/packages; ARCH=arm64 for what was built for arm64
	@scripts/setup deb
	@scripts/deb '$(ARCH)'

repository: export KEY := $(KEY)
repository: export URL := $(URL)
repository: ## make a signed repository for apt of .build/packages; KEY=fingerprint or trial, URL=https://…
	@scripts/setup deb
	@scripts/repository

# SUITES=bookworm installs on Debian 12 alone.
test-packages: ## install, use, upgrade and remove the packages in bare systems of Debian 12 and 13, as root
	@scripts/setup deb
	@scripts/test-packages $(SUITES)

# --- Develop

# Tests that follow live frames are in the suite LiveFrames of their target; `make soak` repeats them.
LIVE_TESTS := ^(CaptureKit|ClipKit|GateKit|ServiceKit|SessionKit)Tests\.LiveFrames/

test test-tsan test-asan soak: export G_DEBUG := fatal-criticals
# No command of a test uses a service of this machine.
test test-tsan test-asan soak: export GST_CAPTURE_SOCKET :=
# GLib stops the program at a critical. Swift's backtracer would let it continue, and the test would pass. FILTER and
# SWIFT_BACKTRACE=enable=yes show where a program crashed.
test test-tsan test-asan soak: export SWIFT_BACKTRACE ?= enable=no
# Optimized libraries: tests that compute take a quarter of the time. Package.swift reads this variable.
build-tests test test-tsan test-asan soak: export OPTIMIZED_LIBRARIES := 1
test soak: export TEST_BUILD := .build-test
test soak: export LIVE_TESTS := $(LIVE_TESTS)
test: build-tests ## run all tests, the camera lab too; FILTER=name for some
	scripts/test '$(FILTER)'

build-tests:
	@scripts/timed 'install packages' scripts/setup build service test
	@test -e .build-test/axe.min.js || scripts/axe .build-test/axe.min.js
	@scripts/timed 'unpack servers' $(SERVERS)
	scripts/build-tests .build-test

test-release: ## test the lock of the ledger in a release build
	@scripts/setup build
	scripts/test-release

# Skips the rings that start the command, or load the plugin into another program: it is the same code, and programs that
# are not instrumented cannot load it.
define sanitized
swift test --traits Service $(1) --disable-xctest --skip LabTests --skip CommandTests --skip ServeTests --skip OutlinePluginTests $(if $(FILTER),--filter "$(FILTER)",--skip '$(LIVE_TESTS)')
$(if $(FILTER),,swift test --traits Service $(1) --disable-xctest --skip-build --no-parallel --filter '$(LIVE_TESTS)')
endef

# Not more tests at a time than Swift's pool has threads: while one waits, a thread is free for its tasks. Tests that
# compute are slow here, and kept all threads from one that waits for longer than its limit.
test-tsan test-asan: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := $(shell nproc)
# The drawing process runs uninstrumented: it limits its memory, and a sanitizer's shadow memory exceeds the limit.
test-tsan test-asan: export GST_CAPTURE_RASTER := $(CURDIR)/.build-test/debug/gst-capture-raster
test-tsan test-asan: raster-to-test

.PHONY: raster-to-test
raster-to-test:
	@scripts/setup build service test
	swift build --scratch-path .build-test --traits Service --product gst-capture-raster
	swift build --scratch-path .build-test --traits Service --product confinement-probe

test-tsan: export TSAN_OPTIONS := suppressions=$(CURDIR)/Tests/Sanitizers/thread.supp
test-tsan: ## run the tests of the libraries under the thread sanitizer
	$(call sanitized,--scratch-path .build-tsan --sanitize=thread)

# Leaks are not detected: GStreamer keeps memory until the process ends, and its `leaks` tracer finds our leaks. The
# test of constant memory is skipped: the sanitizer keeps freed memory for a while, to detect uses of it.
test-asan: export ASAN_OPTIONS := detect_leaks=0:suppressions=$(CURDIR)/Tests/Sanitizers/address.supp
test-asan: ## run the tests of the libraries under the address sanitizer
	$(call sanitized,--scratch-path .build-asan --sanitize=address --skip ScheduledMachineTests/million)

# CHECKS='watchdog reload' runs only these, and POWER_CUTS=3 is the short form. It needs the packages of .build/packages.
test-board: export POWER_CUTS ?= 20
test-board: ## install the packages in a machine with systemd, and check units, upgrade and power cuts; ARCH=arm64
	@scripts/setup board
	Tests/Board/run .build/board-$(or $(ARCH),amd64) $(or $(ARCH),amd64) $(CHECKS)

soak: build-tests ## repeat the tests of live frames and clocks, then jobs, kills and the lab at full size; ROUNDS=20
	scripts/soak $(or $(ROUNDS),20)

bench: release ## measure against gst-launch, ffmpeg and fswebcam
	@scripts/setup bench
	Benchmarks/run
	Benchmarks/growth $(COMMAND)

# SIZES='1000 10000' measures only these sizes; FILES (100000) limits operations that need a file for each entry.
bench-growth: release build ## measure how costs grow with the number of slots, files, sessions and pictures
	@scripts/setup bench
	Benchmarks/growth $(COMMAND)
	Benchmarks/library-growth $(FULL)
	Benchmarks/records-growth $(FULL)

bench-library: build ## measure the library beside exiftool, its service, and a series beside its work
	@scripts/setup bench
	Benchmarks/library $(FULL)
	Benchmarks/library-changes $(FULL)
	Benchmarks/library-service $(FULL)
	Benchmarks/library-beside $(FULL)

# CAPTURES=2000 is the short form.
soak-series: release ## take 100,000 pictures 10 ms apart, kill the series, resume it and verify it
	@scripts/setup bench
	scripts/soak-series $(or $(CAPTURES),100000) $(COMMAND)

# KILLS=10 is the short form.
soak-service: build ## kill the service at random moments, and check that no picture is lost
	scripts/soak-service $(or $(KILLS),100)

# ROUNDS=1 is the short form.
soak-hostile: build ## attack the service beside a series of ten pictures a second
	scripts/soak-hostile $(or $(ROUNDS),3)

# MINUTES=1 is the short form.
soak-viewers: build ## compare a series beside viewers, sessions and requests with one without them
	scripts/soak-viewers $(or $(MINUTES),10)

screenshots: build ## make the pictures of docs/page with the built-in scene
	@scripts/setup test
	scripts/screenshots $(FULL)/gst-capture-serve docs/page

# SESSIONS=20 is the short form.
soak-kiosk: build ## have a robot use the kiosk, walk away, tap twice, and unplug the camera
	@scripts/setup bench test
	scripts/soak-kiosk $(or $(SESSIONS),200)

# MINUTES=4 is the short form.
soak-together: build ## run soak-service, soak-viewers and soak-kiosk at the same time
	@scripts/setup bench test
	scripts/soak-together $(or $(MINUTES),30)

# KILLS=20 is the short form.
soak-library: build ## kill the library in imports, scans, rebuilds and changes of tags
	scripts/soak-library $(or $(KILLS),200)

# KILLS=20 is the short form.
soak-outbox: build ## kill the sender, and a time lapse or the service, and compare the pictures at each target
	$(SERVERS) scripts/soak-outbox $(or $(KILLS),500)
	$(SERVERS) scripts/soak-outbox --delete $(or $(KILLS),500)
	$(SERVERS) scripts/soak-outbox --service $(or $(KILLS),500)

# KILLS=20 is the short form.
soak-records: build ## kill commands that create, change and delete records
	scripts/soak-records $(or $(KILLS),200)

# KILLS=20 is the short form.
soak-records-sync: build ## kill two services, their senders and their backend
	scripts/soak-records-sync $(or $(KILLS),200)

# KILLS=20 is the short form.
soak-films: build ## kill a time lapse with a film of the day, and compare the film with one made afterwards
	KILLS=$(or $(KILLS),100) scripts/soak-films

# SECONDS=10 is the short form.
soak-outbox-beside: build ## compare a series alone with one beside a sender with dead, slow and fast targets
	$(SERVERS) scripts/soak-outbox-beside $(or $(SECONDS),60)

# SECONDS=30 is the short form; BOARDS=5 has fewer boards, STORE=sftp or s3 is another store.
soak-outbox-many: build ## cut and heal the links of twenty senders to one store, and compare the pictures; as root
	$(SERVERS) scripts/soak-outbox-many --store $(or $(STORE),webdav) $(or $(SECONDS),180) $(or $(BOARDS),20)

# MINUTES=5 is the short form.
soak-page: build ## keep the page open for an hour, and compare its memory
	@scripts/setup bench test
	scripts/soak-page $(or $(MINUTES),60)

embedding: ## build and run a program for each library, as a user's package would
	@scripts/setup build
	scripts/embedding

bench-page: build ## measure the page in Chromium: the first picture, a press, the countdown
	@scripts/setup bench test
	Benchmarks/page

# SIZE=100000 is the short form.
bench-page-library: build ## measure the page in Chromium with a million pictures: first pictures, any day, scrolling
	@scripts/setup bench test
	Benchmarks/page-library $(FULL)

bench-stream: build ## measure live pictures beside gst-launch and ustreamer, and their latency
	@scripts/setup bench test
	Benchmarks/stream
	Benchmarks/jpeg
	Benchmarks/latency
	Benchmarks/stream-lab

bench-video: build ## measure live video beside gst-launch and JPEG pictures
	@scripts/setup bench test
	Benchmarks/video

# FRAMES (300) and ROUNDS (20) are the numbers of frames and of first frames. It runs as root.
bench-browser: build ## measure live video in Chromium over a network: its delay and its first frame; as root
	@scripts/setup bench test
	Benchmarks/browser

# CLIP is the length of the clip beside pictures and viewers, in seconds: 600 without it.
bench-record: build ## measure recordings beside gst-launch, and a clip of 10 minutes beside pictures and viewers
	@scripts/setup bench test
	Benchmarks/record

# PICTURES=300 is the short form; GROWTH='1000 20000' and PLANS='1000 100000' measure growth, too.
bench-film: build ## measure films beside ffmpeg, and the removal of flicker
	@scripts/setup bench test
	Benchmarks/film

# OVERLAY_BENCH='--quick' measures ours alone, '--json' prints lines of JSON.
bench-overlay: ## measure overlays against GStreamer's, ffmpeg's and a memcpy
	@scripts/setup build bench
	swift build -c release --package-path Benchmarks --scratch-path .build-bench --product OverlayBench
	.build-bench/release/OverlayBench $(OVERLAY_BENCH)

# ROUNDS=10; MEASUREMENTS='start idle' measures only these.
bench-compare: ## measure this checkout beside an earlier one, in turns; BASE=revision
	@scripts/setup build bench
	Benchmarks/compare '$(BASE)'

format: ## format all Swift
	swift format --in-place --recursive --parallel $(SWIFT_SOURCES)

lint: ## check the format of all Swift, and the scripts
	@scripts/setup test
	swift format lint --strict --recursive --parallel $(SWIFT_SOURCES)
	shellcheck $(SCRIPTS)

clean: ## remove what was built; pictures stay
	rm -rf .build .build-arm64 .build-test .build-tsan .build-asan .build-bench .build-embedding
