package dev.posthorn.demo;

import dev.posthorn.examples.orders.OrdersApplication;
import dev.posthorn.testkit.architecture.ModuleArchitecture;

class OrdersArchitectureTest extends ModuleArchitecture {

    OrdersArchitectureTest() {
        super(OrdersApplication.class);
    }
}
