using NUnit.Framework;
using VectorPipe.Searching.Index;

namespace VectorPipe.Tests.Searching;

/// <summary>Thresholds are adapted to an effort, and back.</summary>
public sealed class SearchEffortTests
{
    [TestCase(1_000, 16)]
    [TestCase(1_000_000, 16)]
    [TestCase(4_000_000, 32)]
    [TestCase(10_000_000, 50)]
    [TestCase(1_000_000_000, 64)]
    public void Where_reads_are_cheap_the_walk_is_as_long_as_a_large_index_needs(long count, int candidates)
    {
        SearchEffort effort = SearchEffort.For(readCostUs: 0, threads: 1, count);
        Assert.That((effort.WalkWidth, effort.IsQuick), Is.EqualTo((candidates, true)));
        Assert.That(SearchEffort.For(30, 1, count), Is.EqualTo(SearchEffort.Default), "others do not depend on it");
        Assert.That(SearchEffort.For(1000, 1, count), Is.EqualTo(SearchEffort.Thorough));
    }

    [Test]
    public void A_restored_threshold_is_the_one_that_was_adapted([Values(0.001f, 0.05f, 0.4f, 1f, 3f)] float threshold)
    {
        foreach (SearchEffort effort in new[] { SearchEffort.Quick, SearchEffort.Default, SearchEffort.Thorough })
            Assert.That(effort.Restore(effort.Adapt(threshold)), Is.EqualTo(threshold).Within(0.01).Percent, $"{effort}");
    }
}
