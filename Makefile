# make demo    the package at work on bundled data; installs what is missing
# make check   tests and R CMD check, ends with "N passed, N failed"; CI=1 adds linters, and site, fuzz, coverage if their
#              sources changed (ALL=1: always, with all repeats of the tests)
# The other targets are for work on the package. Output goes to .build/.

BUILD := $(CURDIR)/.build
LIB := $(BUILD)/lib
RSCRIPT = R_LIBS="$(LIB):$$R_LIBS" Rscript

.PHONY: help demo check record deps install document test test-all ctest lint coverage spelling clean

help:
	@sed -n 's/^# //p' Makefile
	@echo "targets: demo check record deps install document test test-all ctest lint coverage spelling clean"

demo:
	@tools/install-deps.sh run
	@$(MAKE) --no-print-directory install
	@$(RSCRIPT) tools/demo.R

check:
	@tools/check.sh $(if $(CI),--ci) $(if $(ALL),--all)

# The checksums of a passed check CI=1, so that the next one skips the steps whose sources are the same.
record:
	@cp $(BUILD)/checked .ci/checked

deps:
	@tools/install-deps.sh check

# From a tarball, so that no object file is left in src/.
install:
	@mkdir -p $(LIB)
	@rm -f $(BUILD)/kgroups_*.tar.gz
	@cd $(BUILD) && R CMD build --no-build-vignettes .. >build.log 2>&1 || { cat build.log; exit 1; }
	@cd $(BUILD) && MAKEFLAGS=-j2 R CMD INSTALL --library=$(LIB) kgroups_*.tar.gz >install.log 2>&1 \
	  || { cat install.log; exit 1; }
	@echo "installed into .build/lib"

document: install
	@$(RSCRIPT) -e 'roxygen2::roxygenise(load_code = "installed")'

test: install
	@NOT_CRAN=true $(RSCRIPT) -e 'testthat::test_local(load_package = "installed")'

# With the repeats that the check leaves out.
test-all:
	@KGROUPS_TESTS=all $(MAKE) --no-print-directory test

ctest:
	@tools/ctest/run.sh

lint: install
	@tools/install-deps.sh ci
	@R_LIBS="$(LIB):$$R_LIBS" tools/lint.sh

coverage:
	@tools/install-deps.sh ci
	@tools/coverage.sh

# Words that are neither English nor in inst/WORDLIST.
spelling:
	@Rscript -e 'words <- spelling::spell_check_package("."); print(words); q(status = nrow(words) > 0)'

clean:
	rm -rf .build tools/ctest/build demo.png
	rm -f src/*.o src/*.so src/*.dll
