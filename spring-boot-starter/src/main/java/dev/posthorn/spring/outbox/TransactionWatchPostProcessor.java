package dev.posthorn.spring.outbox;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.util.ClassUtils;

/**
 * Lets a {@link TransactionWatch} look at every transaction manager, whoever made it. It is among the first post-processors,
 * because any other may need a manager; those that were made even earlier, or belong to a parent context, are looked for
 * when all beans are there.
 */
final class TransactionWatchPostProcessor
        implements BeanPostProcessor, PriorityOrdered, BeanFactoryAware, SmartInitializingSingleton {

    private static final String ENTITY_MANAGER_HOLDER = "org.springframework.orm.jpa.EntityManagerHolder";

    private final TransactionWatch watch = new TransactionWatch(
            ClassUtils.isPresent(ENTITY_MANAGER_HOLDER, TransactionWatchPostProcessor.class.getClassLoader())
                    ? new JpaFlush()
                    : transaction -> {});

    private @Nullable BeanFactory beans;

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void setBeanFactory(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager
                && manager.getTransactionExecutionListeners().stream().noneMatch(TransactionWatch.class::isInstance)) {
            manager.addListener(watch);
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        BeanFactory next = beans;
        while (next instanceof ConfigurableListableBeanFactory factory) {
            watchThoseOf(factory);
            next = factory.getParentBeanFactory();
        }
    }

    /** One that is not made yet comes by as a bean, and is not made for this. */
    private void watchThoseOf(ConfigurableListableBeanFactory factory) {
        for (String name : factory.getBeanNamesForType(ConfigurableTransactionManager.class, false, false)) {
            if (factory.containsSingleton(name)) {
                postProcessAfterInitialization(factory.getBean(name), name);
            }
        }
    }
}
