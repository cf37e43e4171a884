using NUnit.Framework;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Storage.Files;

public sealed class FileIdsTests
{
    [Test]
    public void Files_of_an_index_differ_from_each_other_and_from_the_index_and_the_seed()
    {
        ulong index = FileIds.OfIndex(1, 1);
        Assert.That(
            Enum.GetValues<FileRole>().Select(role => FileIds.OfFile(index, role, 1)).Append(FileIds.KeySeed(index, 1)).Append(index),
            Is.Unique.And.None.Zero);
    }

    [Test]
    public void Every_generation_has_identities_of_its_own()
    {
        ulong[] indexes = [.. Enumerable.Range(1, 100).Select(generation => FileIds.OfIndex(1, (uint)generation))];
        ulong[] files = [.. Enumerable.Range(1, 100).Select(generation => FileIds.OfFile(indexes[0], FileRole.Nodes, (uint)generation))];
        Assert.That(indexes.Concat(files), Is.Unique);
    }

    [Test]
    public void Other_content_has_other_identities()
    {
        Assert.That(FileIds.OfIndex(2, 1), Is.Not.EqualTo(FileIds.OfIndex(1, 1)));
        Assert.That(FileIds.OfFile(2, FileRole.Keys, 1), Is.Not.EqualTo(FileIds.OfFile(1, FileRole.Keys, 1)));
    }
}
