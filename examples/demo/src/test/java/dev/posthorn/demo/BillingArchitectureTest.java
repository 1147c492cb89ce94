package dev.posthorn.demo;

import dev.posthorn.examples.billing.BillingApplication;
import dev.posthorn.testkit.architecture.ModuleArchitecture;

class BillingArchitectureTest extends ModuleArchitecture {

    BillingArchitectureTest() {
        super(BillingApplication.class);
    }
}
