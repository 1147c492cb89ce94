package dev.posthorn.testkit.architecture;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;

class EmbeddedPostgresArchitectureTest extends ModuleArchitecture {

    EmbeddedPostgresArchitectureTest() {
        super(EmbeddedPostgres.class);
    }
}
