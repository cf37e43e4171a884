namespace VectorPipe.Numerics.Panels;

/// <summary>A view of rows for panel kernels: 32-bit words at a stride, and a few numbers a row.</summary>
/// <remarks>
/// <para>float32 rows are their components. Byte rows are <em>signed</em> (uint8 components less 128), four to a word, the last word
/// padded with zeros. All bytes of a stride are readable; it is a multiple of 32 bytes.</para>
/// <para>For a row a and a candidate b, a kernel sums the products of a with b + 128, since the instruction multiplies unsigned by signed
/// bytes. <see cref="RowTerms"/> and <see cref="PanelTerms"/> turn the sum into |a-b|² or a·b; both are null for float rows.</para>
/// </remarks>
/// <param name="Distance">The form of the words, and the distance.</param>
/// <param name="First">Row 0.</param>
/// <param name="Stride">Bytes from row to row.</param>
/// <param name="Words">32-bit words of a row, at least 1.</param>
/// <param name="Components">Components of a row.</param>
/// <param name="RowTerms">A number for each row in the role of a.</param>
/// <param name="PanelTerms">A number for each row in the role of b.</param>
/// <param name="Auxiliary">The extra component (<see cref="PanelDistance.ByteL2Extended"/>) or the squared norm
/// (<see cref="PanelDistance.ByteChord"/>) of each row; else null.</param>
/// <param name="PairOffset">a·b of the original components less a·b of the signed ones and both panel terms
/// (<see cref="PanelDistance.ByteChord"/>).</param>
internal readonly unsafe record struct PanelRows(
    PanelDistance Distance, nint First, nint Stride, int Words, int Components, nint RowTerms, nint PanelTerms, nint Auxiliary,
    int PairOffset)
{
    /// <summary>First word of a row.</summary>
    public byte* Row(int row) => (byte*)First + row * Stride;

    /// <summary>The row term of a row.</summary>
    public int RowTerm(int row) => ((int*)RowTerms)[row];

    /// <summary>The panel term of a row.</summary>
    public int PanelTerm(int row) => ((int*)PanelTerms)[row];

    /// <summary>The auxiliary number of a row.</summary>
    public float Aux(int row) => ((float*)Auxiliary)[row];
}
