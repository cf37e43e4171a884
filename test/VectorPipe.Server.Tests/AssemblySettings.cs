using NUnit.Framework;

// Fixtures have servers and folders of their own.
[assembly: Parallelizable(ParallelScope.Fixtures)]
