using NUnit.Framework;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Tests.Storage.Manifests;

public sealed class IvfDirectoryTests
{
    // Three vectors and five codes a page.
    private readonly IvfDirectory _lists = new([4, 3, 11], vectorsPerPage: 3, codesPerPage: 5);

    [Test]
    public void Every_list_begins_with_a_page_of_its_own() =>
        Assert.That(
            Enumerable.Range(0, 4).Select(list => (_lists.FirstPage(list), _lists.FirstCodePage(list))),
            Is.EqualTo(new[] { (0u, 0u), (2u, 1u), (3u, 2u), (7u, 5u) }));

    [Test]
    public void The_last_page_of_a_list_holds_the_rest() =>
        Assert.That(Enumerable.Range(0, 7).Select(page => _lists.VectorsOf((uint)page)), Is.EqualTo(new[] { 3, 1, 3, 3, 3, 3, 2 }));

    [Test]
    public void Codes_map_to_the_ids_of_their_vectors()
    {
        var found = new List<(int, uint)>();
        for (uint page = 0; page < _lists.CodePages; page++)
            found.Add((_lists.CodesOf(page, out uint firstId), firstId));

        Assert.That(found, Is.EqualTo(new[] { (4, 0u), (3, 6u), (5, 9u), (5, 14u), (1, 19u) }));
    }

    [Test]
    public void Rows_and_pages_add_up() => Assert.That((_lists.TotalRows, _lists.Pages, _lists.CodePages), Is.EqualTo((18, 7, 5)));
}
