using NUnit.Framework;

// Fixtures work in folders of their own. Those that measure allocations, time or descriptors of the process are marked [Alone].
[assembly: Parallelizable(ParallelScope.Fixtures)]
